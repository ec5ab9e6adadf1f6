package vectors

import (
	"io/fs"
	"path"
	"strings"

	"github.com/pandotrace/pando/spec"
)

// Committed returns the files of the vectors in the repository, by name.
func Committed() (map[string][]byte, error) {
	paths, err := fs.Glob(spec.Vectors, "v1/vectors/*.pando")
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, p := range paths {
		b, err := spec.Vectors.ReadFile(p)
		if err != nil {
			return nil, err
		}
		files[strings.TrimSuffix(path.Base(p), ".pando")] = b
	}
	return files, nil
}
