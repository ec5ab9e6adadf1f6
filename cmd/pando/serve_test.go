package main

import (
	"io"
	"testing"

	"github.com/pandotrace/pando/internal/serve"
)

// TestTokens: only who is asked by this machine alone, and by no pages of other sites, needs no token.
func TestTokens(t *testing.T) {
	for _, c := range []struct {
		host    string
		origins []string
		want    bool
	}{
		{"127.0.0.1", nil, false}, {"localhost", nil, false}, {"::1", nil, false}, {"0.0.0.0", nil, true}, {"", nil, true},
		{"127.0.0.1", []string{"https://notes.example"}, true},
	} {
		v := serveVerb{options: serve.Options{AllowOrigins: c.origins}}
		if err := v.chooseToken(c.host, io.Discard); err != nil || (v.options.Token != "") != c.want {
			t.Errorf("%q, %q: token %q, %v", c.host, c.origins, v.options.Token, err)
		}
	}
}
