// Package view is the page that shows traces in a browser: files that are part of the program. The page asks the server that it comes from, and
// no other (internal/serve).
//
// Its source is TypeScript below web/src: main puts the page together; state has all that it shows, as signals; url makes a link of that; canvas
// is the picture, rows are the names beside it, cell is the place that arrows move, panels are the numbers below; find goes to calls, keys are the keyboard. The picture itself is painted
// by a worker (painter), from tiles (tile, raster). It is bundled with the libraries of web/third_party into web/dist, by go generate, without node, and
// compressed there, so that the program is smaller.
package view

import (
	"bytes"
	"compress/gzip"
	"embed"
	"io"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

//go:generate go tool esbuild web/src/main.tsx web/src/painter.ts --bundle --minify --format=esm --target=es2022 --legal-comments=none --tsconfig=web/tsconfig.json --outdir=web/dist --log-level=warning "--banner:js=/* with Preact and signals, MIT licence: /view/licences.txt */"
//go:generate go run ../../tools/pack web/dist/main.js web/dist/painter.js

//go:embed web/index.html web/view.css web/icon.svg web/dist
var web embed.FS

//go:embed web/third_party/*/LICENSE
var licences embed.FS

// Policy is the Content-Security-Policy of the page: everything comes from the server of the page, and nothing may put the page into a frame.
const Policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; worker-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// File is a part of the page.
type File struct {
	Path  string // of its URL
	Type  string // its media type
	Bytes []byte
}

// types are the media types of files by the end of their name.
var types = map[string]string{".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// Files returns all parts of the page. The page itself has the path "/".
func Files() ([]File, error) {
	var list []File
	err := fs.WalkDir(web, "web", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		b, name, err := part(name)
		at := "/view/" + path.Base(name)
		if path.Base(name) == "index.html" {
			at = "/"
		}
		list = append(list, File{at, types[path.Ext(name)], b})
		return err
	})
	if err != nil {
		return nil, err
	}
	text, err := licenceTexts()
	return append(list, File{"/view/licences.txt", "text/plain; charset=utf-8", text}), err
}

// part returns a part of the page, and its name when it is not compressed.
func part(name string) (b []byte, plain string, err error) {
	if b, err = web.ReadFile(name); err != nil || path.Ext(name) != ".gz" {
		return b, name, err
	}
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, name, err
	}
	b, err = io.ReadAll(r)
	return b, strings.TrimSuffix(name, ".gz"), err
}

// licenceTexts returns the licences of the libraries in the page.
func licenceTexts() (text []byte, err error) {
	err = fs.WalkDir(licences, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		b, err := licences.ReadFile(name)
		text = append(text, strings.TrimPrefix(path.Dir(name), "web/third_party/")+"\n\n"...)
		text = append(append(text, b...), '\n')
		return err
	})
	return text, err
}

// SetHeaders sets the headers that keep the page apart from other sites.
func SetHeaders(h http.Header) {
	h.Set("Content-Security-Policy", Policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin-allow-popups")
	h.Set("Referrer-Policy", "no-referrer")
}
