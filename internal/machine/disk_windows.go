package machine

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// permissions is false: on Windows a folder has the rights of the user's profile.
const permissions = false

// disk returns the bytes that this user may still write at dir, and "remote" for a network drive.
func disk(dir string) (free int64, kind string, err error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return -1, "", err
	}
	var available uint64
	if err := windows.GetDiskFreeSpaceEx(name, &available, nil, nil); err != nil {
		return -1, "", err
	}
	volume := filepath.VolumeName(dir)
	if strings.HasPrefix(volume, `\\`) {
		return int64(available), "remote", nil
	}
	root, err := windows.UTF16PtrFromString(volume + `\`)
	if err != nil {
		return int64(available), "", err
	}
	if windows.GetDriveType(root) == windows.DRIVE_REMOTE {
		kind = "remote"
	}
	return int64(available), kind, nil
}
