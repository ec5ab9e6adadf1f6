package serve

import (
	"io"

	"github.com/pandotrace/pando/internal/view"
)

// pageRoutes returns the routes of the viewer's page. Nothing of a trace is in it, so that it needs no token, and may be reached by links.
func pageRoutes() ([]*route, error) {
	files, err := view.Files()
	if err != nil {
		return nil, err
	}
	var list []*route
	for _, f := range files {
		answer := func(_ *Server, r *request) error {
			view.SetHeaders(r.out.Header())
			return r.stream(func(w io.Writer) error {
				_, err := w.Write(f.Bytes)
				return err
			})
		}
		list = append(list, &route{path: f.Path, kind: small, doc: "The page that shows traces.", types: []string{f.Type}, answer: answer})
	}
	return list, nil
}
