package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/pandotrace/pando/store"
)

// arena is a sample with what it takes to ask for its windows.
type arena struct {
	*sample
	reader *store.Reader
	picker *picker
	tables []callTable // empty without DuckDB
}

// callTable is a way to have the table of calls in DuckDB; from is what stands behind FROM.
type callTable struct{ name, from string }

// inArenas calls a function for each sample that has enough calls.
func (b *bench) inArenas(f func(*arena) error) error {
	samples, err := b.samples()
	if err != nil {
		return err
	}
	for _, s := range samples {
		if s.Calls < minCalls {
			b.say("%s has too few calls", s.name)
		} else if err := b.inArena(s, f); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func (b *bench) inArena(s *sample, f func(*arena) error) error {
	r, err := store.Open(context.Background(), s.file, store.ReadOptions{})
	if err != nil {
		return err
	}
	defer r.Close()
	a := &arena{sample: s, reader: r}
	if a.picker, err = newPicker(r); err != nil {
		return err
	}
	if a.tables, err = b.callTables(s); err != nil {
		return err
	}
	return f(a)
}

// callTables exports the calls of a sample, and loads them into memory as well if they are not too many.
func (b *bench) callTables(s *sample) ([]callTable, error) {
	if b.peers.duckDB.missing != nil {
		return nil, nil
	}
	if s.calls == "" {
		folder, err := b.tables(s, "calls")
		if err != nil {
			return nil, err
		}
		s.calls = filepath.Join(folder, "calls.parquet")
	}
	parquet := fmt.Sprintf("read_parquet('%s')", strings.ReplaceAll(s.calls, "'", "''"))
	all := []callTable{{"DuckDB, Parquet", parquet}}
	if s.Calls > memoryCalls {
		return all, nil
	}
	for _, sql := range []string{"DROP TABLE IF EXISTS calls", "CREATE TABLE calls AS FROM " + parquet} {
		if _, _, err := b.peers.duckDB.query(sql); err != nil {
			return nil, err
		}
	}
	return append(all, callTable{"DuckDB, table in memory", "calls"}), nil
}

// memoryCalls is up to how many calls DuckDB has in memory, too: about 200 bytes each.
const memoryCalls = 2e7

// askers are Pando and all tables, asked about windows by turns. sql makes the question for a table, answer something
// comparable of what DuckDB says.
func (b *bench) askers(a *arena, windows []window, pando func(*store.Reader, window) (timed, error),
	sql func(from string) string, answer func([]uint64) []uint64) []contender[timed] {
	all := []contender[timed]{{"Pando", func(turn int) (timed, error) { return pando(a.reader, windows[turn%len(windows)]) }}}
	for _, t := range a.tables {
		question := sql(t.from)
		all = append(all, contender[timed]{t.name, func(turn int) (timed, error) {
			w := windows[turn%len(windows)]
			values, ms, err := b.peers.duckDB.integers(question, w.from-a.First, w.to-a.First)
			if err != nil {
				return timed{}, err
			}
			return timed{ms, answer(values)}, nil
		}})
	}
	return all
}
