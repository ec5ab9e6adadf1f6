package columnar

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/pandotrace/pando/convert/columnar/table"
	"github.com/pandotrace/pando/internal/claim"
)

// outputs are the files and folders that an export writes, in the order of its tables. They are claimed before the first one is written:
// of two exports of the same tables one is refused as a whole.
type outputs struct {
	files   []*claim.File
	folders []*claim.Folder // instead of files, of partitioned tables
}

// claimAll claims what tables are written to.
func claimAll(tables []*table.Table, opt *Options) (o *outputs, err error) {
	o = &outputs{}
	for _, s := range tables {
		path := filepath.Join(opt.Dir, s.Name)
		if opt.Period > 0 {
			err = o.addFolder(path, opt.Output)
		} else {
			err = o.addFile(path+"."+string(opt.Format), opt.Output)
		}
		if err != nil {
			return nil, errors.Join(err, o.discard())
		}
	}
	return o, nil
}

func (o *outputs) addFile(path string, opt claim.Options) error {
	f, err := claim.Create(path, opt)
	if err == nil {
		o.files = append(o.files, f)
	}
	return err
}

func (o *outputs) addFolder(path string, opt claim.Options) error {
	f, err := claim.CreateFolder(path, opt)
	if err != nil {
		return err
	}
	o.folders = append(o.folders, f)
	if old, _ := os.ReadDir(path); len(old) > 0 {
		return &fs.PathError{Op: "write tables to", Path: path, Err: errNotEmpty}
	}
	return nil
}

// discard removes what is not complete.
func (o *outputs) discard() (err error) {
	for _, f := range o.files {
		err = errors.Join(err, f.Discard())
	}
	for _, f := range o.folders {
		err = errors.Join(err, f.Discard())
	}
	return err
}
