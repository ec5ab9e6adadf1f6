// Package browsertest tries the viewer's page in a real browser. It is a module of its own, so that programs do not depend on what drives it.
package browsertest
