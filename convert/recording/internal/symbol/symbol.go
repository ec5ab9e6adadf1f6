package symbol

import (
	"bytes"
	"cmp"
	"debug/dwarf"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"
)

// Function is what is known of a function: File and Line are of its declaration, "" and 0 if the object has no debugging information.
type Function struct {
	Name string
	File string
	Line uint64
}

// ErrChanged is in the chain of errors about objects that are not the ones that were recorded.
var ErrChanged = errors.New("it is not the file that was recorded: its build id is another")

// Find returns the functions of the ELF file path that begin at, or contain, addresses; those are the file's own. A function that is not found has no entry. buildID is what the
// file must have, if it is not empty. An object without symbols has none of them: that is no error.
func Find(path string, buildID []byte, addresses []uint64) (map[uint64]Function, error) {
	found := map[uint64]Function{}
	err := each(path, buildID, func(f *elf.File) {
		byDebugging(f, addresses, found)
		bySymbols(f, addresses, found)
	})
	return found, err
}

// Lines returns the file and the line of the code at addresses, without names of functions, as Find does.
func Lines(path string, buildID []byte, addresses []uint64) (map[uint64]Function, error) {
	found := map[uint64]Function{}
	err := each(path, buildID, func(f *elf.File) { byLines(f, addresses, found) })
	return found, err
}

// each opens the file, and the one beside it that has its debugging information, which comes first.
func each(path string, buildID []byte, do func(*elf.File)) error {
	if info, err := os.Stat(path); err != nil {
		return err
	} else if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no regular file", path)
	}
	f, err := elf.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	if len(buildID) > 0 && !bytes.Equal(buildID, idOf(f)) {
		return fmt.Errorf("%s: %w", path, ErrChanged)
	}
	if debug := separate(buildID); debug != nil {
		defer debug.Close()
		do(debug)
	}
	do(f)
	return nil
}

// separate opens the debugging information that distributions install beside stripped files, nil if there is none.
func separate(buildID []byte) *elf.File {
	if len(buildID) < 2 {
		return nil
	}
	id := hex.EncodeToString(buildID)
	f, err := elf.Open("/usr/lib/debug/.build-id/" + id[:2] + "/" + id[2:] + ".debug")
	if err != nil {
		return nil
	}
	return f
}

// idOf returns the build id of an object, nil if it has none.
func idOf(f *elf.File) []byte {
	s := f.Section(".note.gnu.build-id")
	if s == nil {
		return nil
	}
	const header = 16 // sizes of name and id, kind, "GNU"
	b := make([]byte, header+64)
	n, err := s.ReadAt(b, 0)
	if err != nil && err != io.EOF || n < header {
		return nil
	}
	if size := int64(f.ByteOrder.Uint32(b[4:])); size <= int64(n-header) {
		return b[header : header+size]
	}
	return nil
}

// bySymbols names functions by the symbols of an object. A symbol's name is that of the linker, so it tells all that C++ and Rust say in names.
func bySymbols(f *elf.File, addresses []uint64, found map[uint64]Function) {
	list, err := f.Symbols()
	if err != nil || len(list) == 0 {
		list, err = f.DynamicSymbols()
	}
	if err != nil {
		return
	}
	list = slices.DeleteFunc(list, func(s elf.Symbol) bool {
		return elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Section == elf.SHN_UNDEF || s.Name == ""
	})
	// Of several names of one function the first by binding and name: a global one before a weak and a local one.
	slices.SortFunc(list, func(a, b elf.Symbol) int {
		return cmp.Or(cmp.Compare(a.Value, b.Value), cmp.Compare(rank(a), rank(b)), strings.Compare(a.Name, b.Name))
	})
	for _, address := range addresses {
		i, exact := slices.BinarySearchFunc(list, address, func(s elf.Symbol, at uint64) int { return cmp.Compare(s.Value, at) })
		if !exact {
			if i--; i < 0 || address-list[i].Value >= list[i].Size {
				continue
			}
			for i > 0 && list[i-1].Value == list[i].Value {
				i--
			}
		}
		x := found[address]
		if x.Name == "" || strings.HasPrefix(list[i].Name, "_Z") || strings.HasPrefix(list[i].Name, "_R") {
			x.Name = demangle.Filter(list[i].Name, demangle.NoClones)
		}
		found[address] = x
	}
}

// rank orders bindings.
func rank(s elf.Symbol) int {
	switch elf.ST_BIND(s.Info) {
	case elf.STB_GLOBAL:
		return 0
	case elf.STB_WEAK:
		return 1
	}
	return 2
}

// byDebugging finds functions in DWARF: their declarations, and names of those that have no symbol.
func byDebugging(f *elf.File, addresses []uint64, found map[uint64]Function) {
	data, err := f.DWARF()
	if err != nil {
		return
	}
	wanted := map[uint64]bool{}
	for _, a := range addresses {
		wanted[a] = found[a].File == ""
	}
	var files []*dwarf.LineFile
	r := data.Reader()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			return
		}
		switch e.Tag {
		case dwarf.TagCompileUnit:
			files = filesOf(data, e)
		case dwarf.TagSubprogram:
			if low, ok := e.Val(dwarf.AttrLowpc).(uint64); ok && wanted[low] {
				found[low] = declared(data, e, files)
			}
			r.SkipChildren()
		}
	}
}

func filesOf(data *dwarf.Data, unit *dwarf.Entry) []*dwarf.LineFile {
	lines, err := data.LineReader(unit)
	if err != nil || lines == nil {
		return nil
	}
	return lines.Files()
}

// maxOrigins bounds how often a definition says that another one has its name: a declaration in a class, an abstract copy of what is inlined.
const maxOrigins = 4

// declared tells a function's name and where it is declared.
func declared(data *dwarf.Data, e *dwarf.Entry, files []*dwarf.LineFile) Function {
	var x Function
	for range maxOrigins {
		if name, ok := e.Val(dwarf.AttrName).(string); ok && x.Name == "" {
			x.Name = name
		}
		if file, ok := e.Val(dwarf.AttrDeclFile).(int64); ok && x.File == "" && file >= 0 && file < int64(len(files)) && files[file] != nil {
			x.File = files[file].Name
			if line, ok := e.Val(dwarf.AttrDeclLine).(int64); ok && line > 0 {
				x.Line = uint64(line)
			}
		}
		origin, ok := e.Val(dwarf.AttrSpecification).(dwarf.Offset)
		if !ok {
			origin, ok = e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
		}
		if !ok || x.Name != "" && x.File != "" {
			return x
		}
		r := data.Reader()
		r.Seek(origin)
		var err error
		if e, err = r.Next(); err != nil || e == nil {
			return x
		}
	}
	return x
}
