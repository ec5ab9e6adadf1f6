package summary

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseShare reads a share: "1%", or "0.5 %"; a number alone is percent, too.
func ParseShare(text string) (float64, error) {
	percent, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "%")), 64)
	if err != nil || !(percent >= 0 && percent <= 100) {
		return 0, fmt.Errorf("%s is not between 0%% and 100%%", text)
	}
	return percent / 100, nil
}
