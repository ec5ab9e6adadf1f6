// Package view is the page that shows traces in a browser: files that are part of the program. The page asks the server that it comes from, and
// no other (internal/serve). It is made of modules as browsers load them, without libraries, so that nothing has to be built.
package view

import (
	"embed"
	"io/fs"
	"net/http"
	"path"
)

//go:embed web
var web embed.FS

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
		b, err := web.ReadFile(name)
		at := "/view/" + path.Base(name)
		if path.Base(name) == "index.html" {
			at = "/"
		}
		list = append(list, File{at, types[path.Ext(name)], b})
		return err
	})
	return list, err
}

// SetHeaders sets the headers that keep the page apart from other sites.
func SetHeaders(h http.Header) {
	h.Set("Content-Security-Policy", Policy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin-allow-popups")
	h.Set("Referrer-Policy", "no-referrer")
}
