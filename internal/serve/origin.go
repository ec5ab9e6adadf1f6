package serve

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Browsers let pages of any site cause requests to this machine, and say so in headers that pages cannot change. Since answers are private,
// the rule holds for reading, too, which http.CrossOriginProtection lets through.

// isOrigin reports whether a text is an origin as browsers send it.
func isOrigin(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && text == u.Scheme+"://"+u.Host && text == strings.ToLower(text)
}

// sites returns a handler that refuses requests of pages of other sites, except of allowed origins, whose answers tell the browser so.
func (s *Server) sites(h http.Header, r *http.Request) error {
	if len(s.options.AllowOrigins) > 0 {
		h.Add("Vary", "Origin")
	}
	origins := r.Header.Values("Origin")
	if len(origins) == 1 && slices.Contains(s.options.AllowOrigins, origins[0]) {
		h.Set("Access-Control-Allow-Origin", origins[0])
		h.Set("Access-Control-Expose-Headers", "Accept-Ranges, Content-Disposition, Content-Encoding, Content-Range, ETag, Retry-After, "+moreRows)
		return nil
	}
	refused := &failure{http.StatusForbidden, "pages of other sites may not ask: their origin must be allowed (--allow-origin)"}
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" && site != "none" {
			return refused
		}
	}
	for _, origin := range origins {
		if u, err := url.Parse(origin); err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return refused
		}
	}
	return nil
}

// preflight answers a browser that asks whether a page of an allowed origin may send a request. Such a question has no token.
func preflight(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	if r.Method != http.MethodOptions || h.Get("Access-Control-Allow-Origin") == "" || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD")
	h.Set("Access-Control-Allow-Headers", "Authorization, If-Match, If-None-Match, If-Range, Range")
	h.Set("Access-Control-Max-Age", "600")
	w.WriteHeader(http.StatusNoContent)
	return true
}
