package attack

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

var serverKinds = []kind{
	{"server of a .pando file", "wrong lengths and ranges, no ranges, endless, redirects, changes, compression, broken connections", 400, lyingServer},
}

// lie is a way in which a server answers a range request.
type lie func(d dice, w http.ResponseWriter, from, to, size int64, part []byte)

func ranged(w http.ResponseWriter, from, to, size int64, part []byte) {
	w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to-1, size))
	w.WriteHeader(http.StatusPartialContent)
	_, _ = w.Write(part) // the client may be gone
}

var lies = []lie{
	func(d dice, w http.ResponseWriter, from, to, size int64, part []byte) { // any size
		ranged(w, from, to, pick(d, []int64{0, -1, 1, size - 1, size + 1, 1 << 40, 1<<63 - 1}), part)
	},
	func(d dice, w http.ResponseWriter, from, to, size int64, part []byte) { // other bytes
		b := append([]byte(nil), part...)
		if len(b) > 0 {
			b[d.IntN(len(b))] ^= 1
		}
		ranged(w, from, to, size, b)
	},
	func(d dice, w http.ResponseWriter, from, to, size int64, part []byte) {
		ranged(w, from, to, size, part[:len(part)/2])
	},
	func(d dice, w http.ResponseWriter, from, to, size int64, part []byte) {
		ranged(w, from, to, size, append(part[:len(part):len(part)], d.bytes(1+d.IntN(9000))...))
	},
	func(d dice, w http.ResponseWriter, from, to, size int64, part []byte) { // endless
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to-1, size))
		w.WriteHeader(http.StatusPartialContent)
		for range 10_000 {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	},
	func(d dice, w http.ResponseWriter, from, to, size int64, part []byte) { _, _ = w.Write(part) },
	func(d dice, w http.ResponseWriter, from, to, size int64, part []byte) {
		w.Header().Set("Content-Range", pick(d, []string{"", "bytes", "bytes */*", "bytes 0-0/", "bytes 0-0/99999999999999999999", "bytes 0-0/-5", "lines 1-2/3", "bytes 0-0/0x10"}))
		w.WriteHeader(http.StatusPartialContent)
		_, _ = w.Write(part)
	},
	func(d dice, w http.ResponseWriter, from, to, size int64, part []byte) {
		w.Header().Set("Location", pick(d, []string{"", "/again", "file:///etc/passwd", "http://127.0.0.1:1/", "ftp://x/", "//", "javascript:x", "?", "http://[::1]:bad/"}))
		w.WriteHeader(pick(d, []int{301, 302, 303, 307, 308}))
	},
	func(d dice, w http.ResponseWriter, from, to, size int64, part []byte) {
		w.WriteHeader(pick(d, []int{204, 304, 400, 401, 404, 416, 418, 999}))
	},
	func(d dice, w http.ResponseWriter, from, to, size int64, part []byte) { // compressed although it was not asked for
		w.Header().Set("Content-Encoding", "gzip")
		ranged(w, from, to, size, deflate(".gz", part))
	},
	func(d dice, w http.ResponseWriter, from, to, size int64, part []byte) { panic(http.ErrAbortHandler) },
	func(d dice, w http.ResponseWriter, from, to, size int64, part []byte) { // more promised than sent
		w.Header().Set("Content-Length", fmt.Sprint(len(part)+1000))
		ranged(w, from, to, size, part)
	},
	func(d dice, w http.ResponseWriter, from, to, size int64, part []byte) {
		w.Header().Set("ETag", fmt.Sprintf("\"%d\"", d.Uint32()))
		ranged(w, from, to, size, part)
	},
	func(d dice, w http.ResponseWriter, from, to, size int64, part []byte) {
		w.Header().Set("X-Long", strings.Repeat("x", 2<<20))
		ranged(w, from, to, size, part)
	},
	func(d dice, w http.ResponseWriter, from, to, size int64, part []byte) { // another part
		ranged(w, 0, to-from, size, make([]byte, len(part)))
	},
	func(d dice, w http.ResponseWriter, from, to, size int64, part []byte) { // slowly
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, to-1, size))
		w.WriteHeader(http.StatusPartialContent)
		for i := 0; i < len(part); i += 1 + len(part)/20 {
			_, _ = w.Write(part[i:min(len(part), i+1+len(part)/20)])
			_ = http.NewResponseController(w).Flush()
			time.Sleep(2 * time.Millisecond)
		}
	},
}

// lyingServer lets a server lie from some request on.
func lyingServer(a *Attack, d dice, dir string) (*try, error) {
	which := d.IntN(len(a.bases.pando))
	data, how, from := a.bases.pando[which], pick(d, lies), int64(d.IntN(6))
	seed := d.Uint64()
	var requests atomic.Int64
	verb := pick(d, append(append([][]string{}, printing[3:]...), checking[:2]...))
	t := &try{args: line(verb, "{URL}/run.pando"), must: anything}
	t.server = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := requests.Add(1) - 1
		first, end, ok := rangeOf(r.Header.Get("Range"), int64(len(data)))
		if !ok {
			w.WriteHeader(http.StatusRequestedRangeNotSatisfiable)
			return
		}
		if n < from {
			ranged(w, first, end, int64(len(data)), data[first:end])
			return
		}
		how(newDice(seed, "server", int(n)), w, first, end, int64(len(data)), data[first:end])
	})
	return t, nil
}

// rangeOf returns the bytes that a Range header asks for.
func rangeOf(header string, size int64) (from, end int64, ok bool) {
	var last int64
	if n, _ := fmt.Sscanf(header, "bytes=-%d", &last); n == 1 {
		return max(0, size-last), size, true
	}
	if n, _ := fmt.Sscanf(header, "bytes=%d-%d", &from, &last); n == 2 && from < size && from >= 0 {
		return from, min(size, last+1), from <= last
	}
	return 0, 0, false
}
