// Package lint holds the rules of the house as Go tests: which package may import what, what a comment must stand on,
// how long a file may grow, that files are as gofmt writes them. Vet and staticcheck are a step of .ci/run.
//
// The rules are data, at the top of rules_test.go. Each has a test that feeds it a violation and one that holds the
// repository against it. A rule about a package that does not exist says nothing; a package without a rule fails.
package lint
