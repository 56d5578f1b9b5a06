//go:build darwin || freebsd

package machine

import (
	"strings"
	"syscall"
)

// permissions reports that file modes matter here.
const permissions = true

// disk returns the bytes that this user may still write at dir, and the kind of its file system.
func disk(dir string) (free int64, kind string, err error) {
	var s syscall.Statfs_t
	if err := syscall.Statfs(dir, &s); err != nil {
		return -1, "", err
	}
	name := make([]byte, 0, len(s.Fstypename))
	for _, c := range s.Fstypename {
		if c == 0 {
			break
		}
		name = append(name, byte(c))
	}
	return int64(s.Bavail) * int64(s.Bsize), kindOf(string(name)), nil
}

// kindOf translates the system's name of a file system.
func kindOf(name string) string {
	switch name = strings.ToLower(name); {
	case strings.Contains(name, "fuse"):
		return "fuse" // macfuse, osxfuse, fusefs
	case name == "smbfs":
		return "smb"
	case name == "afpfs":
		return "remote"
	}
	return name
}
