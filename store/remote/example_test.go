package remote_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/pandotrace/pando/internal/tracegen"
	"github.com/pandotrace/pando/store"
	"github.com/pandotrace/pando/store/remote"
)

// OpenReader reads parts of a file on a web server. What it returns answers questions like a reader of a local file.
func ExampleOpenReader() {
	ctx := context.Background()
	src := tracegen.Ring(4, 20, 1)
	var file bytes.Buffer
	w, err := store.NewWriter(ctx, &file, src.Meta(), store.Options{})
	if err == nil {
		err = store.Copy(ctx, w, src, nil)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		log.Fatal(err)
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.ServeContent(w, r, "ring.pando", time.Time{}, bytes.NewReader(file.Bytes()))
	}))
	defer server.Close()

	r, err := remote.OpenReader(ctx, server.URL+"/ring.pando", server.Client(), store.ReadOptions{})
	if err != nil {
		log.Fatal(err)
	}
	defer r.Close()
	fmt.Println(r.Info().Locations, "locations")
	// Output: 4 locations
}
