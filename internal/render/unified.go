package render

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

// Unified shows what becomes of a file, line by line with three lines around each change, as
// diff -u does; nil is no file. "" when nothing does. What is no text is made readable, as
// Plain does.
func Unified(path string, before, after []byte) string {
	name := func(content []byte) string {
		if content == nil {
			return "/dev/null"
		}
		return path
	}
	text := udiff.Unified(name(before), name(after), lines(before), lines(after))
	if text == "" && (before == nil) != (after == nil) {
		text = "--- " + name(before) + "\n+++ " + name(after) + "\n"
	}
	return text
}

// lines is a file as it is compared: a line end of Windows is one, too.
func lines(content []byte) string {
	return Plain(strings.ReplaceAll(string(content), "\r\n", "\n"))
}
