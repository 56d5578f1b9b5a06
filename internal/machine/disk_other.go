//go:build !linux && !darwin && !freebsd && !windows

package machine

// permissions says that modes mean something here.
const permissions = true

// disk knows nothing of the disks of other systems.
func disk(string) (free int64, kind string, err error) { return -1, "", nil }
