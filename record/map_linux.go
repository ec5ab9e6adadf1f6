package record

import (
	"fmt"
	"os"
	"syscall"
)

// mapFile makes a new file of a size, gets its space on the disk at once, and maps it. A store into a mapped file whose disk is full would
// kill the program, so a disk that is too small must show now.
func mapFile(path string, size int) ([]byte, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	mem, err := mapped(f, size)
	if err != nil {
		os.Remove(path)
		return nil, fmt.Errorf("%s: %d bytes for the recording: %w", path, size, err)
	}
	return mem, nil
}

// mapped asks for the room before it takes it: what is too much would fill the disk for a moment, and others would find it full.
func mapped(f *os.File, size int) ([]byte, error) {
	var disk syscall.Statfs_t
	if err := syscall.Fstatfs(int(f.Fd()), &disk); err != nil {
		return nil, err
	}
	if uint64(size) > disk.Bavail*uint64(disk.Bsize) {
		return nil, syscall.ENOSPC
	}
	if err := syscall.Fallocate(int(f.Fd()), 0, 0, int64(size)); err != nil {
		return nil, err
	}
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
}

// unmap gives the memory back.
func unmap(mem []byte) error { return syscall.Munmap(mem) }
