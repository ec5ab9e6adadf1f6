package claim

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// holder returns the process that has locked a file. known says that the list of locks could be read; if the process is 0 then,
// nobody has.
func holder(info fs.FileInfo) (who Process, known bool) {
	list, err := os.ReadFile("/proc/locks")
	st, ok := info.Sys().(*syscall.Stat_t)
	if err != nil || !ok {
		return Process{}, false
	}
	for line := range strings.Lines(string(list)) {
		pid := lockOf(line, st.Ino)
		if pid == 0 || !mayHave(pid, info) {
			continue
		}
		who.PID = pid
		command, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		who.Command = strings.TrimSpace(string(bytes.ReplaceAll(command, []byte{0}, []byte{' '})))
		return who, true
	}
	return Process{}, true
}

// lockOf returns the process of a line of /proc/locks, 0 if it is about another file:
//
//	1: FLOCK  ADVISORY  WRITE 4711 fe:00:131073 0 EOF
//
// The device is not compared: of file systems with volumes it is not the one that stat tells. Locks for reading are those of processes that look.
func lockOf(line string, inode uint64) int {
	fields := strings.Fields(line)
	if len(fields) < 6 || fields[1] != "FLOCK" || fields[3] != "WRITE" {
		return 0
	}
	place := strings.Split(fields[5], ":")
	pid, err := strconv.Atoi(fields[4])
	if err != nil || pid < 0 || place[len(place)-1] != strconv.FormatUint(inode, 10) {
		return 0
	}
	return pid
}

// mayHave reports whether a process may have a file open: it does, or /proc does not let us know.
func mayHave(pid int, info fs.FileInfo) bool {
	folder := fmt.Sprintf("/proc/%d/fd", pid)
	open, err := os.ReadDir(folder)
	if err != nil {
		return !os.IsNotExist(err) // it is somebody else's
	}
	for _, e := range open {
		if st, err := os.Stat(folder + "/" + e.Name()); err == nil && os.SameFile(st, info) {
			return true
		}
	}
	return false
}
