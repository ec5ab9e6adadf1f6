// Package examples shows how to use traces from elsewhere: SQL, a notebook, JavaScript, Go. Its tests run them.
package examples
