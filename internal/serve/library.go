package serve

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/serve/tiles"
	"github.com/pandotrace/pando/store"
)

// extension is the extension of Pando files in folders, and behind it stands unfinished in the names of those that are being written. Both are
// the same trace: the finished file is served if it is there.
const extension, unfinished = ".pando", ".part"

// maxIdle is the largest number of unused files that stay open.
const maxIdle = 16

// library has the served files by name, and keeps the files open that were used last.
type library struct {
	shelves []shelf
	cache   *store.Cache // of all files
	room    int64        // memory of unused open files, in bytes

	mu   sync.Mutex
	open map[string]*book
	tick uint64 // grows with each use of a file
}

// shelf is a folder with all of its files, or with one of them.
type shelf struct {
	root       *os.Root
	name, only string // of the one trace, and of its file; empty for all
}

// book is a served file. The fields from opening on are set when it has been opened.
type book struct {
	name  string
	found fs.FileInfo // the file's state at the time of the request
	users int
	used  uint64
	stale bool // the file is closed when it has no users

	opened bool // the fields from opening on are set, guarded by the library's lock

	opening  sync.Once
	err      error
	file     *os.File
	info     fs.FileInfo
	reader   *store.Reader
	part     bool    // it had no end when it was opened
	grows    *growth // nil of a file that has its end
	looked   time.Time
	exporter *columnar.Exporter
	viewing  sync.Once
	trees    tiles.Trees // what a viewer shows
	state    uint64      // number of the rows among all of the server
	bytes    int64       // of memory, besides the cache
}

func newLibrary(paths []string, cacheBytes, room int64) (*library, error) {
	l := &library{cache: store.NewCache(cacheBytes), room: room, open: map[string]*book{}}
	for _, path := range paths {
		if err := l.add(path); err != nil {
			return nil, errors.Join(err, l.close())
		}
	}
	names, err := l.names()
	for i := 1; i < len(names); i++ {
		if names[i] == names[i-1] && err == nil {
			err = fmt.Errorf("two files are called %s", names[i])
		}
	}
	if err != nil {
		return nil, errors.Join(err, l.close())
	}
	return l, nil
}

func (l *library) add(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	s := shelf{}
	if !info.IsDir() {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("%s: not a regular file", path)
		}
		s.name = strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), unfinished), extension)
		if path, err = filepath.EvalSymlinks(path); err != nil { // a link that is named means its file
			return err
		}
		path, s.only = filepath.Dir(path), filepath.Base(path)
	}
	if s.root, err = os.OpenRoot(path); err == nil {
		l.shelves = append(l.shelves, s)
	}
	return err
}

// names returns the names of all files that exist now, in order, without links that lead out of their folder.
func (l *library) names() (names []string, err error) {
	for _, s := range l.shelves {
		if s.only != "" {
			names = append(names, s.name)
			continue
		}
		entries, err := fs.ReadDir(s.root.FS(), ".")
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			file := strings.TrimSuffix(e.Name(), unfinished)
			if name, ok := strings.CutSuffix(file, extension); ok && name != "" && s.has(e) && (file == e.Name() || !s.there(file)) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

// has reports whether an entry of the folder is a file, or a link to one inside.
func (s *shelf) has(e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 {
		return e.Type().IsRegular()
	}
	info, err := s.root.Stat(e.Name())
	return err == nil && info.Mode().IsRegular()
}

// there reports whether the folder has a file of a name.
func (s *shelf) there(file string) bool {
	info, err := s.root.Stat(file)
	return err == nil && info.Mode().IsRegular()
}

// find returns the folder and the file name of a trace.
func (l *library) find(name string) (root *os.Root, file string, ok bool) {
	for _, s := range l.shelves {
		switch {
		case s.only != "" && s.name == name:
			if finished := strings.TrimSuffix(s.only, unfinished); !s.there(s.only) && s.there(finished) { // it has got its name
				return s.root, finished, true
			}
			return s.root, s.only, true
		case s.only == "" && filepath.Base(name) == name && name != "." && name != "..":
			for _, file := range []string{name + extension, name + extension + unfinished} {
				if s.there(file) {
					return s.root, file, true
				}
			}
		}
	}
	return nil, "", false
}

// take returns an open file, which the caller gives back. A file that has changed is opened anew; requests that read the old file keep
// it until they end.
func (l *library) take(name string) (*book, error) {
	root, file, ok := l.find(name)
	if !ok {
		return nil, notFound("there is no trace called %q", name)
	}
	info, err := root.Stat(file)
	if err != nil {
		return nil, err
	}
	b := l.lend(name, file, info)
	b.opening.Do(func() {
		err := b.open(root, file, l.cache)
		l.mu.Lock()
		defer l.mu.Unlock()
		b.err, b.opened = err, err == nil
	})
	if b.err != nil {
		l.giveBack(b)
		return nil, b.err
	}
	return b, nil
}

// fingerprint returns the fingerprint of a file if it is open and unchanged.
func (l *library) fingerprint(name string) (string, bool) {
	root, file, ok := l.find(name)
	if !ok {
		return "", false
	}
	info, err := root.Stat(file)
	if err != nil {
		return "", false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.open[name]
	if b == nil || !b.opened || !b.is(file, info) {
		return "", false
	}
	return b.fingerprint(), true
}

// counts returns the numbers of files that are open, and of those that no request reads.
func (l *library) counts() (open, idle int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.open {
		if open++; b.users == 0 {
			idle++
		}
	}
	return open, idle
}

// lend returns the open file with a name, or a new book that has to be opened.
func (l *library) lend(name, file string, now fs.FileInfo) *book {
	l.mu.Lock()
	defer l.mu.Unlock()
	b := l.open[name]
	var grows *growth
	if b != nil && !b.is(file, now) {
		if strings.HasSuffix(file, unfinished) {
			grows = b.goesOn(now)
		}
		l.drop(b)
		b = nil
	}
	if b == nil {
		b = &book{name: name, part: strings.HasSuffix(file, unfinished), found: now, grows: grows}
		l.open[name] = b
	}
	l.tick++
	b.used = l.tick
	b.users++
	return b
}

// is reports whether a file is the one that was opened, unchanged. One that grows is not looked at again at once; one that has got its name is another.
func (b *book) is(file string, now fs.FileInfo) bool {
	if b.part != strings.HasSuffix(file, unfinished) {
		return false
	}
	if b.opened && b.grows != nil && os.SameFile(b.found, now) && time.Since(b.looked) < growEvery {
		return true
	}
	return os.SameFile(b.found, now) && b.found.Size() == now.Size() && b.found.ModTime().Equal(now.ModTime())
}

func (b *book) open(root *os.Root, file string, cache *store.Cache) (err error) {
	if strings.HasSuffix(file, unfinished) {
		return b.openPart(root, file, cache)
	}
	if b.file, err = root.Open(file); err != nil {
		return err
	}
	if b.info, err = b.file.Stat(); err != nil {
		return err
	}
	b.reader, err = store.NewReader(context.Background(), b.file, b.info.Size(), store.ReadOptions{Name: file, Cache: cache})
	if err == nil {
		err = b.ready()
	}
	return err
}

// ready makes ready what answers about the file need.
func (b *book) ready() (err error) {
	b.exporter, err = columnar.New(b.reader)
	b.bytes = bookBytes + definitionBytes*b.reader.BytesRead()
	return err
}

// Memory of an open file: bookBytes, and definitionBytes for each byte of its directory and definitions, which are read when it is opened.
const bookBytes, definitionBytes = 256 << 10, 20

func (b *book) close() (err error) {
	if b.reader != nil {
		err = b.reader.Close()
	}
	if b.file != nil {
		err = errors.Join(err, b.file.Close())
	}
	if b.grows != nil {
		err = errors.Join(err, b.grows.leave())
	}
	return err
}

// giveBack ends one use of a file.
func (l *library) giveBack(b *book) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b.users--
	if b.err != nil && !b.stale {
		l.drop(b) // the next request opens the file again
	} else if b.users == 0 && b.stale {
		b.close()
	}
	l.tidy()
}

// tidy closes unused files while there are too many, the least recently used first.
func (l *library) tidy() {
	var idle []*book
	bytes := int64(0)
	for _, b := range l.open {
		if b.users == 0 {
			idle = append(idle, b)
			bytes += b.bytes
		}
	}
	slices.SortFunc(idle, func(a, b *book) int { return cmp.Compare(a.used, b.used) })
	for len(idle) > maxIdle || bytes > l.room && len(idle) > 1 {
		bytes -= idle[0].bytes
		l.drop(idle[0])
		idle = idle[1:]
	}
}

// drop removes a file from the library, and closes it when it has no users.
func (l *library) drop(b *book) {
	delete(l.open, b.name)
	if b.stale = true; b.users == 0 {
		b.close()
	}
}

func (l *library) close() (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range l.open {
		err = errors.Join(err, b.close())
	}
	clear(l.open)
	for _, s := range l.shelves {
		err = errors.Join(err, s.root.Close())
	}
	return err
}

// modified returns when the file was changed.
func (b *book) modified() time.Time { return b.info.ModTime() }
