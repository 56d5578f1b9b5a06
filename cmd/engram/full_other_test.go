//go:build !unix

package main

// withoutRoom has no limit to set here.
func withoutRoom() { main() }
