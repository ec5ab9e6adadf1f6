package vectors

import (
	"maps"
	"reflect"
	"regexp"
	"slices"

	"github.com/pandotrace/pando/spec"
)

var (
	writersRule = regexp.MustCompile(`(?m)^\| \d+\* \|.*$`)
	vectorName  = regexp.MustCompile("`bad-([a-z0-9-]+)`")
)

// FormFaults lists the vectors that say something in a second form, which is forbidden to writers only: those of the rules with a star in
// section 12 of the format's description, and all integers in too many bytes. A reader may refuse them or read them.
func FormFaults() []string {
	names := map[string]bool{}
	for _, row := range writersRule.FindAllString(spec.Format, -1) {
		for _, m := range vectorName.FindAllStringSubmatch(row, -1) {
			names["bad-"+m[1]] = true
		}
	}
	for _, kind := range faultyKinds {
		names["bad-"+nameOf(kind)+longInteger] = true
	}
	return slices.Sorted(maps.Keys(names))
}

// longInteger ends the names of vectors whose first integer is longer than it need be.
const longInteger = "-with-a-long-integer"

// classForms sets the class of the vectors that say something in a second form.
func classForms(all []Vector) {
	forms := FormFaults()
	for i := range all {
		if slices.Contains(forms, all[i].Name) {
			all[i].Expected = Fault{FormClass}
		}
	}
}

// FormClass is the class of files that say something in a second form.
const FormClass = "form"

// Agrees reports whether what a reader makes of a vector, as JSON, is what is expected: of a second form it may make what it likes, as long as
// it does not take the file for damaged in another way.
func Agrees(got, expected any) bool {
	want, _ := expected.(map[string]any)
	if want["error"] != FormClass {
		return reflect.DeepEqual(got, expected)
	}
	is, _ := got.(map[string]any)
	class, refused := is["error"]
	return is != nil && (!refused || class == "content")
}
