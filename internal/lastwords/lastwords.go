// Package lastwords keeps what a dying fuzz worker says. Its output goes nowhere, and of a crash that is no panic of the
// target's own goroutine only "exit status 2" is reported. Packages with fuzz targets import this one for its effect: the
// runtime appends what it says about a crash to the file that the environment variable PANDO_LAST_WORDS names.
package lastwords

import (
	"os"
	"runtime/debug"
)

func init() {
	name := os.Getenv("PANDO_LAST_WORDS")
	if name == "" {
		return
	}
	file, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	defer file.Close() // the runtime has a descriptor of its own
	if err := debug.SetCrashOutput(file, debug.CrashOptions{}); err != nil {
		panic(err)
	}
}
