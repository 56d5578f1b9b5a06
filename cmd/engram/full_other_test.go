//go:build !unix

package main

// withoutRoom cannot set a limit on this system.
func withoutRoom() { main() }
