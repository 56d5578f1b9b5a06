package machine

import (
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

// permissions says that modes mean something here: on Windows the rights of a folder
// are those of the user's profile.
const permissions = false

// disk returns the bytes that this user may still write where dir is, and "remote" for
// a drive of another machine.
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
