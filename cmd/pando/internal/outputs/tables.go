package outputs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pandotrace/pando/convert/columnar"
)

// Tables are the formats of tables.
func Tables() (list []Format) {
	for _, f := range columnar.Formats() {
		text := f == columnar.CSV || f == columnar.JSON
		list = append(list, Format{Name: string(f), Endings: []string{"." + string(f)}, Binary: !text})
	}
	return list
}

// ChooseTable chooses one of some formats for tables, by the name of the output and the value of --format.
func ChooseTable(output, name string, formats []Format) (Format, error) {
	bare := output == Standard || filepath.Ext(output) == "" || strings.HasSuffix(output, string(filepath.Separator)) || IsFolder(output)
	switch {
	case name == "" && bare:
		return Format{}, errors.New("--format is needed for tables: " + Listed(Names(Tables())))
	case bare: // a folder may have any name
		return Choose("a table", "", name, formats)
	}
	return Choose("a table or file of trace events", output, name, formats)
}

// IsFolder reports whether there is a folder at a path.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// IsTableFolder reports whether an output is a folder for tables of a format, by its name.
func IsTableFolder(output string, f Format) bool {
	if output == Standard {
		return false
	}
	return IsFolder(output) || !slices.ContainsFunc(f.Endings, func(ending string) bool { return hasEnding(output, ending) })
}
