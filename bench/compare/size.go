package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// largeBytes is the size above which an archive is packed by xz only on demand: it takes a minute for each 100 MB.
const largeBytes = 64 << 20

// packing is a way to store a trace. bytes returns what it takes, or why it was left out.
type packing struct {
	name  string
	bytes func(*bench, *sample) (int64, error)
}

var packings = []packing{
	{"as it is", func(_ *bench, s *sample) (int64, error) { return s.bytes, nil }},
	{"tar, zstd -19", func(b *bench, s *sample) (int64, error) { return b.packed(s, &b.peers.zstd, "-19", "-q", "-c") }},
	{"tar, xz -9", (*bench).xz},
	{"Parquet", (*bench).parquetBytes},
	{"Parquet, least", (*bench).leastParquet},
}

// size compares the bytes that are kept.
func (b *bench) size() error {
	b.printf(`
Bytes on disk, in brackets after how many times as much as Pando's file it is. *As it is*: all files of the trace. Parquet: all
tables of ` + "`pando export`" + `, compressed with Zstandard: for questions without joins, calls have each time in ticks and in nanoseconds, and their names; events are
there a second time, in a table of their own. They leave out auxiliary records. *Parquet, least*: calls and messages alone, with the columns that nothing else in the table tells
(location, region, start and duration; both locations, both times, communicator, tag, bytes): no other events, counters and definitions.
`)
	head := []string{"trace", "events", "Pando", "bits/event"}
	for _, p := range packings {
		head = append(head, p.name)
	}
	t := newTable(head...)
	defer b.table(t)
	samples, err := b.samples()
	if err != nil {
		return err
	}
	for _, s := range samples {
		row := []any{s.name, s.Events, s.FileBytes, 8 * float64(s.FileBytes) / float64(max(1, s.Events))}
		for _, p := range packings {
			b.say("size of %s: %s", s.name, p.name)
			row = append(row, sizeCell(b, s, p))
		}
		t.row(row...)
	}
	return nil
}

func sizeCell(b *bench, s *sample, p packing) string {
	n, err := p.bytes(b, s)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s (%s)", grouped(fmt.Sprint(n)), figure(float64(n)/float64(s.FileBytes)))
}

// packed sends the trace through tar and a compressor and counts what comes out.
func (b *bench) packed(s *sample, compressor *peer, args ...string) (int64, error) {
	if b.peers.tar.missing != nil || compressor.missing != nil {
		return 0, fmt.Errorf("missing")
	}
	folder, parts := s.parts()
	tar := exec.CommandContext(b.ctx, b.peers.tar.path, append([]string{
		"-C", folder, "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--mtime=@0", "-cf", "-"}, parts...)...)
	pack := exec.CommandContext(b.ctx, compressor.path, args...)
	var n count
	var err error
	pack.Stdout = &n
	if pack.Stdin, err = tar.StdoutPipe(); err != nil {
		return 0, err
	}
	if err := tar.Start(); err != nil {
		return 0, err
	}
	if err := runQuietly(pack); err != nil {
		return 0, err
	}
	return int64(n), tar.Wait()
}

func (b *bench) xz(s *sample) (int64, error) {
	if s.bytes > largeBytes && !b.full {
		return 0, fmt.Errorf("only with -full")
	}
	return b.packed(s, &b.peers.xz, "-9", "-c")
}

func (b *bench) parquetBytes(s *sample) (int64, error) {
	folder, err := b.tables(s)
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	return bytesIn(folder)
}

// leastColumns are those of calls and messages that cannot be told from others of the table.
var leastColumns = map[string]string{
	"calls":    "location,region,start_ticks,duration_ticks",
	"messages": "send_location,receive_location,send_ticks,receive_ticks,communicator,tag,send_bytes",
}

func (b *bench) leastParquet(s *sample) (int64, error) {
	folder, err := os.MkdirTemp(filepath.Dir(s.file), "least")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	for table, columns := range leastColumns {
		if _, err := b.pando("export", s.file, "--tables", table, "--columns", columns, "-o", filepath.Join(folder, table+".parquet")); err != nil {
			return 0, err
		}
	}
	return bytesIn(folder)
}

// bytesIn returns the size of all files in a folder.
func bytesIn(folder string) (n int64, err error) {
	err = filepath.WalkDir(folder, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			n += info.Size()
		}
		return err
	})
	return n, err
}

// count counts bytes.
type count int64

var _ io.Writer = new(count)

func (c *count) Write(p []byte) (int, error) {
	*c += count(len(p))
	return len(p), nil
}
