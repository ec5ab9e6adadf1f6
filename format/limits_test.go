package format

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

// SECURITY.md names all limits with their defaults.
func TestLimitsAreThoseOfTheDocument(t *testing.T) {
	text, err := os.ReadFile("../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	defaults := reflect.ValueOf(Limits{}.WithDefaults())
	for i := range defaults.NumField() {
		if row := fmt.Sprintf("| %s | %d |\n", defaults.Type().Field(i).Name, defaults.Field(i).Int()); !strings.Contains(string(text), row) {
			t.Errorf("SECURITY.md does not have the row %s", row)
		}
	}
}
