package launch

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/pandotrace/pando/record"
	"github.com/pandotrace/pando/record/scorep"
)

// maxFilterFile is the size of the largest filter file, in bytes. Recorders take much less of rules.
const maxFilterFile = 1 << 20

// Rules returns the rules of a filter: what is given, or what a filter file of Score-P that is named says. A name that ends with .filt or .filter is one of a file; any other text is if there is such a file and it begins like one.
func Rules(filter string) (string, error) {
	rules := filter
	if named := strings.HasSuffix(filter, ".filt") || strings.HasSuffix(filter, ".filter"); named || isFile(filter) {
		text, err := readFilter(filter)
		if err != nil {
			return "", err
		}
		if named || scorep.Detect(text) {
			if rules, err = scorep.Rules(filter, text); err != nil {
				return "", err
			}
		}
	}
	if err := record.CheckFilter(rules); err != nil {
		return "", fmt.Errorf("%s: %w", filter[:min(len(filter), 60)], err)
	}
	return rules, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

func readFilter(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFilterFile+1))
	if err == nil && len(text) > maxFilterFile && scorep.Detect(text) {
		err = fmt.Errorf("%s: a filter of more than %d bytes", path, maxFilterFile)
	}
	return text, err
}
