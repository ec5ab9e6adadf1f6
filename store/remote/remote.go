package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/store/internal/blockio"
)

// ErrChanged says that a remote file is another one than it was when it was opened.
var ErrChanged = errors.New("the file has changed since it was opened")

// ErrSlow says that a server takes longer for an answer than is waited.
var ErrSlow = errors.New("the server is too slow")

// File is a file on a web server, read by range requests. It is safe for concurrent use.
type File struct {
	url      string
	client   *http.Client
	context  context.Context
	cancel   context.CancelFunc
	size     int64
	ends     blockio.FileEnds // read when the file was opened: nearly every file is opened by them
	etag     string           // strong or weak, as the server says; empty if it says none
	modified string           // Last-Modified, empty if the server says none
}

// IsURL reports whether a path is the URL of a file on a web server.
func IsURL(path string) bool {
	return strings.HasPrefix(path, "https://") || strings.HasPrefix(path, "http://")
}

// OpenReader opens a Pando file on a web server. Closing the Reader ends all requests. See [store.Open] for the context.
func OpenReader(ctx context.Context, url string, client *http.Client, opt store.ReadOptions) (*store.Reader, error) {
	f, err := Open(ctx, url, client)
	if err != nil {
		return nil, err
	}
	if opt.Name == "" {
		opt.Name = url
	}
	opt.Closer = f
	r, err := store.NewReader(ctx, f, f.Size(), opt)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return r, nil
}

// attempts to make a request, and the pause before the second one; it doubles from one to the next.
const (
	attempts   = 4
	firstPause = 50 * time.Millisecond
)

// A request has some time for its answer to begin, and some for each byte of it: a server that drips, or that says nothing, ends with an
// error.
var (
	answerTime = 30 * time.Second
	byteTime   = time.Second / (16 << 10)
)

// Open reads both ends of a file in one round, by a client or, if it is nil, by [http.DefaultClient]. The server must give parts of files.
func Open(ctx context.Context, url string, client *http.Client) (*File, error) {
	if client == nil {
		client = http.DefaultClient
	}
	r := &File{url: url, client: client}
	r.context, r.cancel = context.WithCancel(context.Background())
	var head, tail *http.Response
	var group errgroup.Group
	group.Go(func() (err error) {
		head, r.ends.Head, err = r.get(ctx, fmt.Sprintf("bytes=0-%d", blockio.HeadBytes-1), blockio.HeadBytes)
		return err
	})
	group.Go(func() (err error) {
		tail, r.ends.Tail, err = r.get(ctx, fmt.Sprintf("bytes=-%d", blockio.TailBytes), blockio.TailBytes)
		return err
	})
	if err := group.Wait(); err != nil {
		return nil, err
	}
	if err := r.identify(head, tail); err != nil {
		return nil, err
	}
	if from := r.size - int64(len(r.ends.Tail)); from < 0 || int64(len(r.ends.Head)) != min(blockio.HeadBytes, r.size) {
		return nil, fmt.Errorf("%s: the server sent %d and %d bytes of the ends of %d", url, len(r.ends.Head), len(r.ends.Tail), r.size)
	}
	return r, nil
}

// Size returns the length of the file in bytes.
func (r *File) Size() int64 { return r.size }

// identify notes the size of the file and which one it is.
func (r *File) identify(head, tail *http.Response) error {
	var err error
	if r.size, err = sizeOf(tail); err != nil {
		return fmt.Errorf("%s: %w", r.url, err)
	}
	r.etag, r.modified = tail.Header.Get("ETag"), tail.Header.Get("Last-Modified")
	return r.same(head)
}

// sizeOf returns the size of the file that a part belongs to.
func sizeOf(part *http.Response) (int64, error) {
	said := part.Header.Get("Content-Range")
	if _, total, ok := strings.Cut(said, "/"); ok {
		if n, err := strconv.ParseInt(total, 10, 64); err == nil && n >= 0 {
			return n, nil
		}
	}
	return 0, fmt.Errorf("the server does not say how large the file is (Content-Range: %q)", said)
}

// same checks that a part belongs to the file that was opened.
func (r *File) same(part *http.Response) error {
	size, err := sizeOf(part)
	if err == nil && (size != r.size || part.Header.Get("ETag") != r.etag || part.Header.Get("Last-Modified") != r.modified) {
		err = ErrChanged
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.url, err)
	}
	return nil
}

// ReadAt implements io.ReaderAt.
func (r *File) ReadAt(b []byte, at int64) (int, error) {
	return r.ReadAtContext(context.Background(), b, at)
}

// ReadAtContext is ReadAt until the context is done.
func (r *File) ReadAtContext(ctx context.Context, b []byte, at int64) (int, error) {
	if at >= r.size {
		return 0, io.EOF
	}
	n := min(int64(len(b)), r.size-at)
	if n > 0 && !r.ends.Holds(b[:n], at, r.size) {
		part, got, err := r.get(ctx, fmt.Sprintf("bytes=%d-%d", at, at+n-1), n)
		if err == nil {
			err = r.same(part)
		}
		if err != nil {
			return 0, err
		}
		if copy(b, got); int64(len(got)) < n {
			return len(got), fmt.Errorf("%s: %w after %d of %d bytes", r.url, io.ErrUnexpectedEOF, len(got), n)
		}
	}
	if int(n) < len(b) {
		return int(n), io.EOF
	}
	return int(n), nil
}

// Close ends all requests.
func (r *File) Close() error {
	r.cancel()
	return nil
}

// get requests a range, again if the server is busy or the connection breaks. It returns at most limit bytes.
func (r *File) get(ctx context.Context, bytes string, limit int64) (*http.Response, []byte, error) {
	var failed error
	pause := firstPause
	for try := range attempts {
		if try > 0 {
			select {
			case <-r.context.Done():
				return nil, nil, r.context.Err()
			case <-ctx.Done():
				return nil, nil, ctx.Err()
			case <-time.After(pause):
				pause *= 2
			}
		}
		part, b, again, err := r.once(ctx, bytes, limit)
		if err == nil {
			return part, b, nil
		}
		if failed = err; !again {
			break
		}
	}
	return nil, nil, fmt.Errorf("%s: %w", r.url, failed)
}

// once makes one request. again says whether it is worth to try once more.
func (r *File) once(asker context.Context, bytes string, limit int64) (part *http.Response, b []byte, again bool, err error) {
	ctx, cancel := context.WithTimeoutCause(asker, answerTime+time.Duration(limit)*byteTime, ErrSlow)
	defer cancel()
	defer context.AfterFunc(r.context, cancel)() // the file is closed
	defer func() {
		if err != nil && asker.Err() != nil {
			again, err = false, asker.Err()
		}
		if err != nil && context.Cause(ctx) == ErrSlow {
			again, err = false, ErrSlow
		}
	}()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url, nil)
	if err != nil {
		return nil, nil, false, err
	}
	request.Header.Set("Range", bytes)
	request.Header.Set("Accept-Encoding", "identity") // offsets are those of the file
	if part, err = r.client.Do(request); err != nil {
		return nil, nil, r.context.Err() == nil, err
	}
	defer func() { err = errors.Join(err, part.Body.Close()) }()
	switch code := part.StatusCode; {
	case code == http.StatusPartialContent:
	case code == http.StatusOK:
		return part, nil, false, errors.New("the server does not give parts of the file (it ignores Range)")
	case code == http.StatusTooManyRequests || code >= 500:
		return part, nil, true, errors.New(part.Status)
	default:
		return part, nil, false, errors.New(part.Status)
	}
	b, err = io.ReadAll(io.LimitReader(part.Body, limit+1))
	if err == nil && int64(len(b)) > limit {
		err = errors.New("the server sent more than was asked for")
	}
	return part, b, err != nil, err
}
