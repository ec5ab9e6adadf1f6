package serve

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/pandotrace/pando/convert/columnar"
	"github.com/pandotrace/pando/internal/report"
	"github.com/pandotrace/pando/internal/report/catalogue"
)

func (r *request) json(v any) error {
	return r.stream(func(w io.Writer) error {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return e.Encode(v)
	})
}

// traceName is a trace in the list of traces.
type traceName struct {
	Name string `json:"name"`
	Href string `json:"href"`
}

func (s *Server) listTraces(r *request) error {
	names, err := s.library.names()
	if err != nil {
		return err
	}
	list := []traceName{}
	for _, name := range names {
		list = append(list, traceName{name, "/v1/traces/" + url.PathEscape(name)})
	}
	return r.json(map[string]any{"traces": list})
}

func (s *Server) info(r *request) error {
	return r.stream(func(w io.Writer) error { return report.Write(w, report.NewInfo(r.trace), report.JSON) })
}

// file sends the bytes of the file, or of a part of it.
func (s *Server) file(r *request) error {
	if r.book.file == nil {
		return notFound("the file of %q is being written: it can be had when it has its end", r.PathValue("name"))
	}
	r.out.Header().Set("ETag", `"`+r.tag+`"`)
	content := io.NewSectionReader(r.book.file, 0, r.book.info.Size())
	http.ServeContent(r.out, r.Request, "", r.book.modified(), content)
	return nil
}

// tableInfo describes a table.
type tableInfo struct {
	Name    string       `json:"name"`
	Doc     string       `json:"doc"`
	Columns []columnInfo `json:"columns"`
}

type columnInfo struct {
	Name string        `json:"name"`
	Type columnar.Type `json:"type"`
	Null bool          `json:"null"`
	Unit string        `json:"unit,omitempty"`
	Doc  string        `json:"doc"`
}

func (s *Server) listTables(r *request) error {
	list := []tableInfo{}
	for _, t := range allTables() {
		info := tableInfo{Name: t.Name, Doc: t.Doc}
		for _, c := range t.Columns {
			info.Columns = append(info.Columns, columnInfo{c.Name, c.Type, c.Null, c.Unit, c.Doc})
		}
		list = append(list, info)
	}
	return r.json(map[string]any{"tables": list})
}

// definitions sends the rows of all tables of definitions that have some.
func (s *Server) definitions(r *request) error {
	return r.stream(func(w io.Writer) error {
		before := "{"
		for _, t := range columnar.Tables() {
			if !t.Definitions {
				continue
			}
			if _, err := fmt.Fprintf(w, "%s\n%q: ", before, t.Name); err != nil {
				return err
			}
			before = ","
			if _, err := r.book.exporter.Write(r.Context(), w, t.Name, columnar.Options{Format: columnar.JSON, Whole: true}); err != nil {
				return err
			}
		}
		_, err := io.WriteString(w, "}\n")
		return err
	})
}

// tableFormats are the formats of tables by the names that they have in queries.
var tableFormats = map[string]struct {
	format columnar.Format
	media  string
}{
	"json": {columnar.JSON, jsonType}, "arrow": {columnar.ArrowStream, arrowStreamType},
	"arrow-file": {columnar.Arrow, arrowFileType}, "parquet": {columnar.Parquet, "application/vnd.apache.parquet"},
	"csv": {columnar.CSV, "text/csv; charset=utf-8"},
}

// moreRows is the header that says of a table with a limit whether there are further rows.
const moreRows = "Pando-More-Rows"

// table sends a table, or a window of it.
func (s *Server) table(r *request) error {
	name := r.PathValue("table")
	if a := catalogue.Find(name); a != nil {
		return s.analysisTable(r, a)
	}
	if !r.book.exporter.Has(name) {
		return notFound("there is no table %q", name)
	}
	w, opt, err := s.rows(r)
	if err != nil {
		return err
	}
	if err := r.book.exporter.Check(name, opt.Columns); err != nil {
		return bad("columns=%s: %v", strings.Join(opt.Columns, ","), err)
	}
	opt.From, opt.To, opt.Locations, opt.Regions = w.from, w.to, w.locations, w.regions
	if err := r.needs(tableWork(w, &opt)); err != nil {
		return err
	}
	r.describeTable(name, &opt)
	return r.stream(func(out io.Writer) error {
		f, err := r.book.exporter.Write(r.Context(), out, name, opt)
		if err == nil && opt.Limit > 0 {
			r.out.Header().Set(moreRows, strconv.FormatBool(f.More))
		}
		return err
	})
}

// describeTable sets the headers of a table.
func (r *request) describeTable(name string, opt *columnar.Options) {
	h := r.out.Header()
	for _, f := range tableFormats {
		if f.format == opt.Format {
			h.Set("Content-Type", f.media)
		}
	}
	h.Set("Content-Disposition", fmt.Sprintf("inline; filename=%q", name+"."+string(opt.Format)))
	if opt.Limit > 0 {
		h.Set("Trailer", moreRows) // of an answer that is sent before its last row is known
	}
}

// tableFormat returns the format of a table by its name in queries.
func tableFormat(name string) (columnar.Format, error) {
	f, ok := tableFormats[cmp.Or(name, "json")]
	if !ok {
		return "", bad("format=%s: tables can be json, arrow, arrow-file, parquet or csv", name)
	}
	return f.format, nil
}
