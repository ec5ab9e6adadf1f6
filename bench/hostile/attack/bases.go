package attack

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/pandotrace/pando/format"
	"github.com/pandotrace/pando/internal/damage"
	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/trace"
)

// archive is a sound trace of another format: its files, by their paths.
type archive struct {
	main  string
	files map[string][]byte
}

// bases are the sound files that hostile ones are made of.
type bases struct {
	pando   [][]byte             // as they are written
	plain   [][]byte             // the same without compression
	vectors [][]byte             // of the specification: sound files and broken rules
	foreign map[string][]archive // by format
}

// packed are the bundled archives that hold the formats that the program does not write.
var packed = []struct{ name, format, ext string }{
	{"otf2.ep.S.32", "OTF2", ".otf2"},
	{"otf1.allrec.half", "OTF", ".otf"},
	{"otf1.ep.S.32.z", "OTF", ".otf"},
	{"clog2.cpilog_4", "CLOG-2", ".clog2"},
	{"clog2.comm1_isr_8", "CLOG-2", ".clog2"},
	{"clog2.cpilog_4", "SLOG-2", ".slog2"},
	{"clog2.comm1_isr_8", "SLOG-2", ".slog2"},
}

func (a *Attack) makeBases(vectors string, unpack func(name string) (string, error)) error {
	b := &bases{foreign: map[string][]archive{}}
	a.bases = b
	for i, src := range smallTraces() {
		file, err := written(src, i)
		if err != nil {
			return err
		}
		plain, err := damage.Plain(file)
		if err != nil {
			return err
		}
		b.pando, b.plain = append(b.pando, file), append(b.plain, plain)
	}
	paths, err := filepath.Glob(filepath.Join(vectors, "*.pando"))
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("no vectors in %s: %w", vectors, err)
	}
	for _, path := range paths {
		file, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		b.vectors = append(b.vectors, file)
	}
	for _, p := range packed {
		dir, err := unpack(p.name)
		if err == nil {
			err = b.addFolders(dir, p.format, p.ext)
		}
		if err != nil {
			return err
		}
	}
	return a.writeForeign()
}

// smallTraces have everything that a file can hold.
func smallTraces() []trace.Source {
	k := tracegen.Knobs{
		Processes: 2, Threads: 2, Length: 40, Regions: 3, Messages: 30, Talk: 0.3, Step: 100, Lattice: 1, SameTime: 0.1, Mismatch: 0.1,
		Recursion: 4, Repeat: 4, Any: 0.1, Attributes: 0.1, Residuals: 0.1, Contexts: true, Auxiliary: true, Late: true,
		Private: true, Undeclared: true, IdleThreads: true,
	}
	plain := tracegen.Knobs{Processes: 3, Threads: 1, Length: 150, Regions: 4, Messages: 60, Talk: 0.3, Step: 50, Lattice: 10, Repeat: 3}
	return []trace.Source{tracegen.Random(1, k), tracegen.Random(2, plain), tracegen.Ring(3, 8, 1)}
}

// written returns a Pando file of a trace, of several slices and nodes. Its id is always the same.
func written(src trace.Source, number int) ([]byte, error) {
	var file bytes.Buffer
	opt := store.Options{SliceEvents: 60, Fanout: 2, EpochSlices: 4, LaneLocations: 2, ID: format.FileID{'h', byte(number)}}
	w, err := store.NewWriter(context.Background(), &file, src.Meta(), opt)
	if err == nil {
		err = store.Copy(context.Background(), w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	return file.Bytes(), err
}

// addFolders adds the traces below a folder: each main file with all that lies beside it.
func (b *bases) addFolders(root, name, ext string) error {
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ext) {
			return err
		}
		a := archive{main: e.Name(), files: map[string][]byte{}}
		if name == "SLOG-2" || name == "CLOG-2" {
			a.files[a.main], err = os.ReadFile(path)
		} else {
			err = a.read(filepath.Dir(path))
		}
		b.foreign[name] = append(b.foreign[name], a)
		return err
	})
}

// read adds the files of a folder, but not the records of other programs that are bundled with them.
func (a *archive) read(root string) error {
	return filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || strings.HasSuffix(path, ".zst") || strings.HasSuffix(path, ".counts.json") {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err == nil {
			a.files[name], err = os.ReadFile(path)
		}
		return err
	})
}

// writeForeign lets the program write the small traces in the formats that it writes. The first one has fields that no other format can hold.
func (a *Attack) writeForeign() error {
	for i := 1; i < len(a.bases.pando); i++ {
		dir, err := os.MkdirTemp(a.work, "base-")
		if err != nil {
			return err
		}
		in := filepath.Join(dir, "in.pando")
		if err := os.WriteFile(in, a.bases.pando[i], 0o666); err != nil {
			return err
		}
		for format, name := range map[string]string{"OTF2": "o/t.otf2", "Chrome": "c/t.json", "Chrome, gzip": "z/t.json.gz"} {
			folder := filepath.Join(dir, filepath.Dir(name))
			if err := os.Mkdir(folder, 0o777); err != nil {
				return err
			}
			if out, err := a.command("convert", in, filepath.Join(dir, name)).CombinedOutput(); err != nil {
				return fmt.Errorf("%s: %w: %s", name, err, out)
			}
			base := archive{main: filepath.Base(name), files: map[string][]byte{}}
			if err := base.read(folder); err != nil {
				return err
			}
			a.bases.foreign[format] = append(a.bases.foreign[format], base)
		}
	}
	return nil
}
