package serve

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"runtime/debug"
	"strings"
	"time"
)

// An answer is a function of the file, the question and the program. Its entity tag (RFC 9110, section 8.8.3) is a hash of these, so that a
// client that has the answer already is told so before any work is done. A compressed answer has the name of its coding behind the hash.

// edition names the program and the options that decide about answers. A program without a version is known by its file.
func edition(o *Options) string {
	version := "(devel)"
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" {
		version = b.Main.Version
	}
	if version == "(devel)" || strings.Contains(version, "+dirty") {
		version = executable()
	}
	return fmt.Sprintf("%s %g %d", version, o.MaxWindow, o.MaxRows)
}

// executable names the program by size and time of its file, or if there is none by the moment of its start.
func executable() string {
	path, err := os.Executable()
	if err != nil {
		return time.Now().String()
	}
	info, err := os.Stat(path)
	if err != nil {
		return time.Now().String()
	}
	return fmt.Sprintf("%d %d", info.Size(), info.ModTime().UnixNano())
}

// fingerprint names the contents of an open file: its random id, size and time of change.
func (b *book) fingerprint() string {
	return fmt.Sprintf("%x-%x-%x", b.reader.ID(), b.info.Size(), b.modified().UnixNano())
}

// tagOf returns the entity tag of the answer to a question, without quotes. Parameters count in order of their names.
func (s *Server) tagOf(route *route, r *request, fingerprint string) string {
	if route.kind == ranges {
		return fingerprint
	}
	h := sha256.New()
	for _, part := range []string{s.edition, fingerprint, route.path, r.PathValue("name"), r.PathValue("table"), url.Values(r.query).Encode()} {
		fmt.Fprintf(h, "%d %s", len(part), part)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// held returns the tag with which a client says that it has the answer, compressed or not; "" if it has not.
func held(r *http.Request, tag string) string {
	if tag == "" || r.Header.Get("If-Match") != "" {
		return ""
	}
	for _, list := range r.Header.Values("If-None-Match") {
		for one := range strings.SplitSeq(list, ",") {
			one = strings.TrimPrefix(strings.TrimSpace(one), "W/")
			plain := strings.Trim(one, `"`)
			for _, c := range codings {
				plain = strings.TrimSuffix(plain, "-"+c.name)
			}
			if plain == tag && len(one) > len(plain) {
				return one
			}
		}
	}
	return ""
}

// unchanged tells a client that the answer is the one that it has, if it has it.
func (r *request) unchanged(route *route) bool {
	tag := held(r.Request, r.tag)
	if tag == "" {
		return false
	}
	h := r.out.Header()
	h.Set("ETag", tag)
	if route.coded() {
		h.Add("Vary", "Accept-Encoding")
	}
	r.out.WriteHeader(http.StatusNotModified)
	return true
}

// knownTag returns the entity tag of an answer if it is known without opening a file, "" if not.
func (s *Server) knownTag(route *route, r *request) string {
	if !route.tagged() {
		return ""
	}
	name := r.PathValue("name")
	if name == "" {
		return s.tagOf(route, r, "")
	}
	if fingerprint, ok := s.library.fingerprint(name); ok {
		return s.tagOf(route, r, fingerprint)
	}
	return ""
}
