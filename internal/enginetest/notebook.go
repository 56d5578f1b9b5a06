package enginetest

import (
	"os"

	"github.com/alanbuscaglia/engram/internal/notebook"
)

// Notebook returns the notes of sessions in a folder, for one process.
func Notebook(dir string) *notebook.Notebook {
	return notebook.New(notebook.Options{Dir: dir, Lock: func(*os.File) (bool, error) { return true, nil }})
}
