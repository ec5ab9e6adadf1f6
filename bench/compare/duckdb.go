package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// duckDB is DuckDB in a process of its own, which measures itself.
type duckDB struct {
	peer
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

// reply is a line of bench/duckdb/serve.mjs.
type reply struct {
	Rows  [][]string `json:"rows"`
	MS    float64    `json:"ms"`
	Error string     `json:"error"`
}

func (b *bench) startDuckDB() *duckDB {
	d := &duckDB{peer: peer{name: "DuckDB"}}
	var node string
	if node, d.missing = exec.LookPath("node"); d.missing != nil {
		return d
	}
	if d.missing = d.start(node, filepath.Join(b.root, "bench", "duckdb", "serve.mjs"), strconv.Itoa(b.threads)); d.missing != nil {
		return d
	}
	hello, err := d.receive()
	if err != nil {
		d.missing = err
		d.close()
		return d
	}
	d.version = hello.Rows[0][0] + ", @duckdb/node-api"
	return d
}

func (d *duckDB) start(command ...string) (err error) {
	d.cmd = exec.Command(command[0], command[1:]...)
	d.cmd.Env = append(os.Environ(), "NODE_PATH="+nodePath())
	d.cmd.Stderr = os.Stderr
	if d.in, err = d.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := d.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	d.out = bufio.NewReader(out)
	return d.cmd.Start()
}

// nodePath lists the folders of node packages: those that the user names, and where .ci/run puts them.
func nodePath() string {
	cache := os.Getenv("PANDO_CI_CACHE")
	if cache == "" {
		user, _ := os.UserCacheDir()
		cache = filepath.Join(user, "pando-ci")
	}
	return strings.Trim(os.Getenv("NODE_PATH")+":"+filepath.Join(cache, "duckdb", "node_modules"), ":")
}

// query returns the rows of a query as text, and how many milliseconds DuckDB took. Its parameters are $1, $2...
func (d *duckDB) query(sql string, values ...int64) (rows [][]string, ms float64, err error) {
	text := each(values, func(v int64) string { return strconv.FormatInt(v, 10) })
	line, err := json.Marshal(map[string]any{"sql": sql, "values": text})
	if err != nil {
		return nil, 0, err
	}
	if _, err := d.in.Write(append(line, '\n')); err != nil {
		return nil, 0, err
	}
	r, err := d.receive()
	if err != nil {
		return nil, 0, fmt.Errorf("%w\n%s", err, sql)
	}
	return r.Rows, r.MS, nil
}

// integers returns the integers in the rows of a query, row after row, modulo 2^64.
func (d *duckDB) integers(sql string, values ...int64) (all []uint64, ms float64, err error) {
	rows, ms, err := d.query(sql, values...)
	if err != nil {
		return nil, 0, err
	}
	all, err = tryEach(slices.Concat(rows...), modulo64)
	return all, ms, err
}

// modulo64 reads an integer of any size; null, which is no text, counts as 0.
func modulo64(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	n, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return 0, fmt.Errorf("DuckDB answers %q, which is no integer", text)
	}
	return n.And(n, new(big.Int).SetUint64(math.MaxUint64)).Uint64(), nil
}

func (d *duckDB) receive() (r reply, err error) {
	line, err := d.out.ReadBytes('\n')
	if err != nil {
		return r, fmt.Errorf("DuckDB has ended: %w", err)
	}
	if err := json.Unmarshal(line, &r); err != nil {
		return r, err
	}
	if r.Error != "" {
		first, _, _ := strings.Cut(r.Error, "\n")
		return r, errors.New(first)
	}
	return r, nil
}

// close ends the process, if there is one.
func (d *duckDB) close() {
	if d.cmd != nil && d.cmd.Process != nil {
		d.in.Close()
		d.cmd.Wait()
	}
}
