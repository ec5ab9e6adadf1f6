package serve

import (
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/pandotrace/pando/internal/serve/viewing"
)

const (
	// leastCoded is the length from which on an answer is compressed, in bytes. A shorter one fits into one packet.
	leastCoded = 1 << 10
	// codedWindow is the number of bytes in which zstd looks for repetitions. An encoder takes about four times as much.
	codedWindow = 128 << 10
)

// coded are the media types of answers that become shorter. PNG, Parquet and Pando files are compressed already.
var coded = []string{jsonType, "text/csv", "text/plain", "text/html", "text/css", "text/javascript", "image/svg+xml", arrowStreamType, arrowFileType, viewing.Tiles, viewing.Lines}

// isCoded reports whether answers of a media type are compressed.
func isCoded(media string) bool {
	media, _, _ = strings.Cut(media, ";")
	return slices.Contains(coded, media)
}

// coder compresses.
type coder interface {
	io.WriteCloser
	Reset(io.Writer)
}

// coding is a content coding (RFC 9110, section 8.4.1) with encoders that wait for use.
type coding struct {
	name  string
	coder sync.Pool
}

// codings are all content codings; the first is preferred of those that a client likes as much. Encoders work in the goroutine of the answer
// and prefer speed: a turn is dearer than bytes.
var codings = []*coding{
	{"zstd", sync.Pool{New: func() any {
		c, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithWindowSize(codedWindow),
			zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(err) // the options are constants
		}
		return c
	}}},
	{"gzip", sync.Pool{New: func() any {
		c, err := gzip.NewWriterLevel(nil, gzip.BestSpeed)
		if err != nil {
			panic(err)
		}
		return c
	}}},
}

// to returns an encoder that writes to w.
func (c *coding) to(w io.Writer) coder {
	to := c.coder.Get().(coder)
	to.Reset(w)
	return to
}

// end completes what an encoder wrote, and keeps the encoder for the next answer.
func (c *coding) end(to coder) error {
	err := to.Close()
	to.Reset(nil)
	c.coder.Put(to)
	return err
}

// whole returns bytes compressed.
func (c *coding) whole(b []byte) ([]byte, error) {
	var out bytes.Buffer
	to := c.to(&out)
	_, err := to.Write(b)
	if err == nil {
		err = c.end(to)
	}
	return out.Bytes(), err
}

// negotiate returns the coding that a client likes best by its headers Accept-Encoding (RFC 9110, section 12.5.3), nil for none.
func negotiate(accepted []string) *coding {
	quality := qualities(accepted)
	of := func(name string) float64 {
		if q, ok := quality[name]; ok {
			return q
		}
		return quality["*"]
	}
	var best *coding
	liked := 0.0
	for _, c := range codings {
		if q := of(c.name); q > liked {
			best, liked = c, q
		}
	}
	if of("identity") > liked {
		return nil
	}
	return best
}

// qualities returns the weight of each coding that a client names.
func qualities(accepted []string) map[string]float64 {
	quality := map[string]float64{}
	for element := range strings.SplitSeq(strings.Join(accepted, ","), ",") {
		name, parameter, weighted := strings.Cut(element, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if name == "x-gzip" {
			name = "gzip"
		}
		q := 1.0
		if weighted {
			key, value, _ := strings.Cut(strings.TrimSpace(parameter), "=")
			n, err := strconv.ParseFloat(value, 64)
			if !strings.EqualFold(key, "q") || err != nil || !(n >= 0 && n <= 1) {
				continue // who knows
			}
			q = n
		}
		quality[name] = q
	}
	return quality
}
