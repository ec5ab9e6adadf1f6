package serve

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// TestLimit holds tables with a limit and chosen columns against whole ones. Whether rows are left out is in the headers of an answer that is
// sent when it is complete, and behind the body of a longer one.
func TestLimit(t *testing.T) {
	base, _, _ := serving(t, Options{})
	calls := base + "/v1/traces/ring/tables/calls?to=20%25"
	var whole []map[string]any
	getJSON(t, calls, &whole)
	n := len(whole)
	for _, c := range []struct {
		query   string
		rows    int
		columns []string
		more    string
	}{
		{"", n, nil, ""}, {"limit=1", 1, nil, "true"}, {"limit=10&columns=name,start_ns", 10, []string{"name", "start_ns"}, "true"},
		{"columns=rank", n, []string{"rank"}, ""}, {"limit=999999999999&columns=name", n, []string{"name"}, "false"}, {"limit=3000", 3000, nil, "true"},
		{"limit=999999", n, nil, "false"}, {"limit=3&max_rows=3", 3, nil, "true"},
	} {
		r := request1(t, "GET", calls+"&"+c.query, "Accept-Encoding", "identity")
		body, err := io.ReadAll(r.Body)
		r.Body.Close()
		var rows []map[string]any
		if err == nil {
			err = json.Unmarshal(body, &rows)
		}
		if err != nil || len(rows) != c.rows || r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d, %d rows, %v, want %d", c.query, r.StatusCode, len(rows), err, c.rows)
		}
		more := r.Header.Get(moreRows)
		if r.ContentLength < 0 {
			if more != "" || len(body) < answerBytes {
				t.Errorf("%s: the headers of %d bytes say what is behind them", c.query, len(body))
			}
			more = r.Trailer.Get(moreRows)
		}
		if more != c.more {
			t.Errorf("%s: more rows: %q, want %q", c.query, more, c.more)
		}
		for i, row := range rows {
			for name, value := range row {
				if whole[i][name] != value || c.columns != nil && !slices.Contains(c.columns, name) {
					t.Fatalf("%s: row %d: %v, whole %v", c.query, i, row, whole[i])
				}
			}
			if c.columns != nil && len(row) != len(c.columns) || c.columns == nil && len(row) != len(whole[i]) {
				t.Fatalf("%s: row %d: %v", c.query, i, row)
			}
		}
	}
}

// TestColumnsInOrder: columns stand in the order in which they were chosen, in every form of text.
func TestColumnsInOrder(t *testing.T) {
	_, _, s := serving(t, Options{})
	const query = "/v1/traces/ring/tables/calls?limit=1&columns=start_ns,name,rank"
	if text := asking(s, query+"&format=csv").Body.String(); !strings.HasPrefix(text, "start_ns,name,rank\n") {
		t.Errorf("%.100s", text)
	}
	if text := asking(s, query).Body.String(); !strings.HasPrefix(text, "[\n{\"start_ns\":") || !strings.HasSuffix(text, ",\"rank\":0}\n]\n") {
		t.Errorf("%.100s", text)
	}
}

// TestWrongLimits: a wrong column is refused with the columns that there are, before anything is read.
func TestWrongLimits(t *testing.T) {
	_, _, s := serving(t, Options{})
	for query, want := range map[string]string{
		"columns=strat_ns": "start_ns", "columns=": "start_ns", "columns=name,name": "twice", "columns=name,": "start_ns", "columns=name&columns=rank": "given twice",
		"limit=0": "no number between 1", "limit=-1": "no number", "limit=x": "no number", "limit=99999999999999999999": "no number", "top=3": "no parameter",
	} {
		w := asking(s, "/v1/traces/ring/tables/calls?"+query)
		var e struct{ Error string }
		if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil || w.Code != http.StatusBadRequest || !strings.Contains(e.Error, want) {
			t.Errorf("%s: %d, %.200s, want 400 with %q", query, w.Code, w.Body, want)
		}
	}
}

// TestSummaryLimit: a summary is cut after some rows, and says how many are left out.
func TestSummaryLimit(t *testing.T) {
	_, _, s := serving(t, Options{})
	var whole, cut struct {
		Rows    []json.RawMessage
		Omitted int `json:"omitted_rows"`
	}
	query := "/v1/traces/ring/summary?" + url.Values{"by": {"region,location"}}.Encode()
	for text, into := range map[string]any{query: &whole, query + "&limit=2": &cut} {
		if w := asking(s, text); json.Unmarshal(w.Body.Bytes(), into) != nil {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
	if len(cut.Rows) != 2 || cut.Omitted != len(whole.Rows)-2 || len(whole.Rows) < 3 || string(cut.Rows[1]) != string(whole.Rows[1]) {
		t.Errorf("%d rows and %d omitted of %d", len(cut.Rows), cut.Omitted, len(whole.Rows))
	}
}

// TestSummaryColumns: a summary has the chosen columns, in their order, and says which there are when a chosen one is not among them.
func TestSummaryColumns(t *testing.T) {
	_, _, s := serving(t, Options{})
	const query = "/v1/traces/ring/summary?limit=1&columns="
	if text := asking(s, query+"region_name,count&format=csv").Body.String(); !strings.HasPrefix(text, "region_name,count\n") {
		t.Errorf("%.100s", text)
	}
	var answer struct{ Rows []map[string]any }
	if w := asking(s, query+"count"); json.Unmarshal(w.Body.Bytes(), &answer) != nil || len(answer.Rows) != 1 || len(answer.Rows[0]) != 1 || answer.Rows[0]["count"] == nil {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	for _, wrong := range []string{"cuont", "", "count,count"} {
		if w := asking(s, query+wrong); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "count") && wrong != "" {
			t.Errorf("%q: %d %s", wrong, w.Code, w.Body)
		}
	}
}
