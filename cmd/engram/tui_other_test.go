//go:build !unix

package main

import "testing"

func TestTUI(t *testing.T) {
	t.Skip("no library for pseudo-terminals of this platform; internal/tui tests the frames and keys")
}
