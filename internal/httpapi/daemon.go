package httpapi

import (
	"bytes"
	"io"
	"net/http"
)

// forCommands hands a request to who answers the program's own commands.
func (a *API) forCommands(w http.ResponseWriter, q request) error {
	q.Body = io.NopCloser(bytes.NewReader(q.body))
	a.Daemon.ServeHTTP(w, q.Request)
	return nil
}
