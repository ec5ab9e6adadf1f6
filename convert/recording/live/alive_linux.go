package live

import (
	"bufio"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// alive reports whether a process lives that has a file mapped. Numbers of processes are used again, and mean others in a container: who has the file mapped is the one.
func alive(pid int, file fs.FileInfo) bool {
	number := uint64(0)
	if s, ok := file.Sys().(*syscall.Stat_t); ok {
		number = s.Ino
	}
	if maps(fmt.Sprint(pid), number) {
		return true
	}
	if others, err := filepath.Glob("/proc/[0-9]*"); err == nil {
		for _, dir := range others {
			if maps(filepath.Base(dir), number) {
				return true
			}
		}
	}
	// What others have mapped is not for everybody's eyes.
	return syscall.Kill(pid, 0) == syscall.EPERM
}

// maps reports whether a process has a file of a number mapped.
func maps(pid string, number uint64) bool {
	f, err := os.Open("/proc/" + pid + "/maps")
	if err != nil {
		return false
	}
	defer f.Close()
	want := strconv.FormatUint(number, 10)
	for lines := bufio.NewScanner(f); lines.Scan(); {
		// addresses, permissions, offset, device, inode, path
		const atInode, atPath = 4, 5
		if fields := strings.Fields(lines.Text()); len(fields) > atPath && fields[atInode] == want && strings.Contains(fields[len(fields)-1], ".pandorec") {
			return true
		}
	}
	return false
}
