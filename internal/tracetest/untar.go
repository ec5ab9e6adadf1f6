package tracetest

import (
	"archive/tar"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

func untarZstd(r io.Reader, dir string) error {
	d, err := zstd.NewReader(r)
	if err != nil {
		return err
	}
	defer d.Close()
	return untar(d, dir)
}

// untarXz unpacks with the help of the program xz.
func untarXz(path, dir string) error {
	xz := exec.Command("xz", "-dc", path)
	out, err := xz.StdoutPipe()
	if err != nil {
		return err
	}
	if err := xz.Start(); err != nil {
		return err
	}
	err = untar(out, dir)
	if _, rest := io.Copy(io.Discard, out); err == nil {
		err = rest
	}
	if wait := xz.Wait(); err == nil {
		err = wait
	}
	return err
}

func untar(r io.Reader, dir string) error {
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := untarEntry(tr, h, dir); err != nil {
			return err
		}
	}
}

func untarEntry(r io.Reader, h *tar.Header, dir string) error {
	if !filepath.IsLocal(h.Name) {
		return fmt.Errorf("archive entry %q leaves the folder", h.Name)
	}
	path := filepath.Join(dir, h.Name)
	if h.Typeflag == tar.TypeDir {
		return os.MkdirAll(path, 0o755)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, r); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
