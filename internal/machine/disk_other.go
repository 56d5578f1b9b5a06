//go:build !linux && !darwin && !freebsd && !windows

package machine

// permissions reports that file modes matter here.
const permissions = true

// disk reports nothing on other systems.
func disk(string) (free int64, kind string, err error) { return -1, "", nil }
