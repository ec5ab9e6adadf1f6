package clog2

// windowBytes is how much of a file is read at once when all of it is.
const windowBytes = 16 * pieceBytes

// window is some bytes of a file.
type window struct {
	at   int64
	data []byte
	err  error
}

// windows reads the records of a file from the begin to the end, each window while the one before is looked at. Windows overlap, so
// that each piece lies in one of them.
type windows struct {
	file  *file
	ready chan window
	free  chan []byte
	now   window
}

func newWindows(f *file) *windows {
	const ahead = 1
	w := &windows{file: f, ready: make(chan window, ahead), free: make(chan []byte, ahead+2)}
	for range cap(w.free) {
		w.free <- nil
	}
	go w.read()
	return w
}

// read reads all windows, or those up to an error.
func (w *windows) read() {
	defer close(w.ready)
	for at := int64(preambleBytes); at < w.file.end; at += windowBytes - pieceBytes {
		data, ok := <-w.free
		if !ok {
			return
		}
		if data == nil {
			data = make([]byte, windowBytes)
		}
		data = data[:min(windowBytes, w.file.end-at)]
		next := window{at, data, w.file.fill(data, at)}
		w.ready <- next
		if next.err != nil {
			return
		}
	}
}

// piece returns the bytes of a piece. Pieces are asked for in order.
func (w *windows) piece(at int64) ([]byte, error) {
	n := min(pieceBytes, w.file.end-at)
	if n <= 0 {
		return nil, nil
	}
	for at+n > w.now.at+int64(len(w.now.data)) && w.now.err == nil {
		if w.now.data != nil {
			w.free <- w.now.data[:windowBytes:windowBytes]
		}
		w.now = <-w.ready
	}
	if w.now.err != nil {
		return nil, w.now.err
	}
	return w.now.data[at-w.now.at:][:n], nil
}

// close ends the reading.
func (w *windows) close() {
	close(w.free)
	for range w.ready {
	}
}
