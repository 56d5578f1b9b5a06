//go:build !amd64 && !arm64

package kernel

// native returns the sets in assembly for other processors: none yet.
func native() []*Set { return nil }
