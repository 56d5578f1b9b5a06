package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
)

const ping = `{"jsonrpc":"2.0","id":7,"method":"ping"}`

// No line ends the session: after each, a ping is answered, and everything on the
// output is a JSON-RPC message.
func TestNoLineEndsTheSession(t *testing.T) {
	t.Parallel()
	const pong = `{"jsonrpc":"2.0","id":7,"result":{}}`
	parse := `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse error: the line is not JSON"}}`
	invalid := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32600,"message":"not a JSON-RPC 2.0 message"}}`
	}
	long := func(id string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32600,"message":"the message is longer than 8 MiB"}}`
	}
	many := strings.Repeat("x", 9<<20)
	for _, tt := range []struct {
		name, line string
		want       []string
	}{
		{"words", "hello there", []string{parse}},
		{"broken JSON", `{"jsonrpc":"2.0","id":1,"method":"ping"`, []string{parse}},
		{"bytes that are no text", "\xff\xfe\x00", []string{parse}},
		{"an empty line", "", nil},
		{"blanks", " \t ", nil},
		{"a header of another protocol", "Content-Length: 12", []string{parse}},
		{"a line with the ending of Windows", strings.Replace(ping, "7", "8", 1) + "\r", []string{`{"jsonrpc":"2.0","id":8,"result":{}}`}},
		{"two messages on one line", strings.Replace(ping, "7", "8", 1) + strings.Replace(ping, "7", "9", 1),
			[]string{`{"jsonrpc":"2.0","id":8,"result":{}}`, `{"jsonrpc":"2.0","id":9,"result":{}}`}},
		{"a message and rubbish", strings.Replace(ping, "7", "8", 1) + "}", []string{parse, `{"jsonrpc":"2.0","id":8,"result":{}}`}},
		{"an array of messages", "[" + strings.Replace(ping, "7", "8", 1) + "," + strings.Replace(ping, "7", "9", 1) + "]",
			[]string{`{"jsonrpc":"2.0","id":8,"result":{}}`, `{"jsonrpc":"2.0","id":9,"result":{}}`}},
		{"a byte order mark inside", "\xef\xbb\xbf" + strings.Replace(ping, "7", "8", 1), []string{parse}},
		{"zero bytes", "\x00\x00" + strings.Replace(ping, "7", "8", 1), []string{parse}},
		{"an id that is null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, nil},
		{"an id of a megabyte", `{"jsonrpc":"2.0","id":"` + many[:1<<20] + `","method":"ping"}`, []string{`{"jsonrpc":"2.0","id":"` + many[:1<<20] + `","result":{}}`}},
		{"an id past every number", `{"jsonrpc":"2.0","id":1e400,"method":"ping"}`, []string{invalid("1e400")}},
		{"a fraction for an id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, []string{invalid("1.5")}},
		{"an id too large for a number", `{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, []string{invalid("9007199254740993")}},
		{"an id as large as it may be", `{"jsonrpc":"2.0","id":-9007199254740992,"method":"ping"}`, []string{`{"jsonrpc":"2.0","id":-9007199254740992,"result":{}}`}},
		{"one id twice", strings.Replace(ping, "7", "8", 1) + strings.Replace(ping, "7", "8", 1),
			[]string{`{"jsonrpc":"2.0","id":8,"result":{}}`, `{"jsonrpc":"2.0","id":8,"result":{}}`}},
		{"a call nested deeper than it is read", `{"jsonrpc":"2.0","id":8,"method":"ping","params":{"x":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}}", []string{invalid("8")}},
		{"an empty array", "[]", []string{invalid("null")}},
		{"a number", "42", []string{invalid("null")}},
		{"null", "null", []string{invalid("null")}},
		{"an empty object", "{}", []string{invalid("null")}},
		{"no version", `{"id":8,"method":"ping"}`, []string{invalid("8")}},
		{"another version", `{"jsonrpc":"1.0","id":"a","method":"ping"}`, []string{invalid(`"a"`)}},
		{"an id that is an object", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, []string{invalid("null")}},
		{"a method that is a number", `{"jsonrpc":"2.0","id":8,"method":5}`, []string{invalid("8")}},
		{"an answer to nothing", `{"jsonrpc":"2.0","id":8,"result":{}}`, nil},
		{"an unknown notification", `{"jsonrpc":"2.0","method":"notifications/unheard"}`, nil},
		{"a second handshake", strings.SplitN(strings.Replace(hello, `"id":1`, `"id":8`, 1), "\n", 2)[0],
			[]string{`{"jsonrpc":"2.0","id":8,"error":{"code":-32600,"message":"duplicate \"initialize\" received"}}`}},
		{"nested past all measure", `{"jsonrpc":"2.0","id":8,"method":"ping","params":` + strings.Repeat("[", 100000) + strings.Repeat("]", 100000) + "}", []string{parse}},
		{"nine megabytes of nothing", many, []string{long("null")}},
		{"nine megabytes with the id in front", `{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"x":"` + many + `"}}`, []string{long("8")}},
		{"nine megabytes with the id at the end", `{"method":"tools/call","params":{"arguments":{"id":5,"x":"` + many + `"}},"jsonrpc":"2.0","id":"b"}`, []string{long(`"b"`)}},
		{"nine megabytes with an id that is an argument", `{"method":"tools/call","params":{"arguments":{"x":"` + many + `","id":5}}}`, []string{long("null")}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines := converse(t, newServer(t), hello+tt.line+"\n"+ping+"\n")
			var got []string
			pongs := 0
			for _, line := range lines {
				if !json.Valid(line) {
					t.Errorf("the output has a line that is no message: %s", line)
				}
				switch {
				case string(line) == pong:
					pongs++
				case !bytes.Contains(line, []byte(`"serverInfo"`)):
					got = append(got, string(line))
				}
			}
			if pongs != 1 {
				t.Errorf("the ping after it was answered %d times", pongs)
			}
			// JSON-RPC gives no order to answers, and two come from different hands.
			slices.Sort(got)
			want := slices.Sorted(slices.Values(tt.want))
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("line %.80q\n got %v\nwant %v", tt.line, got, tt.want)
			}
		})
	}
}

func TestLastLineNeedsNoEnd(t *testing.T) {
	t.Parallel()
	lines := converse(t, newServer(t), hello+ping)
	if got := string(lines[len(lines)-1]); got != `{"jsonrpc":"2.0","id":7,"result":{}}` {
		t.Errorf("got %s", got)
	}
}

// What shells of Windows put before what they pipe is no part of the first message.
func TestAByteOrderMarkInFrontIsPassedOver(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]int{"\xef\xbb\xbf" + hello + ping: 2, "\xef\xbb\xbf": 1, "\xef\xbb": 1, "": 1} {
		lines := converse(t, newServer(t), in)
		if len(lines) != want || want == 2 && string(lines[1]) != `{"jsonrpc":"2.0","id":7,"result":{}}` {
			t.Errorf("input %.20q: got %q", in, lines)
		}
	}
}

// A client that sends all calls at once and closes its input gets every answer, and later calls see what earlier
// ones saved.
func TestPipedCallsAreAllAnsweredInOrderOfSaves(t *testing.T) {
	t.Parallel()
	var in strings.Builder
	in.WriteString(hello)
	const saves = 100 // more than may wait at once
	for i := range saves {
		fmt.Fprintf(&in, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"mem_save","arguments":{"title":"n%d","content":"number %d"}}}`+"\n", 10+i, i, i)
	}
	in.WriteString(`{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"mem_stats"}}` + "\n")
	lines := converse(t, newServer(t), in.String())
	next := 0
	for _, line := range lines {
		var a struct {
			ID     int
			Result struct {
				StructuredContent struct {
					ID     int
					Result string
				}
			}
		}
		if err := json.Unmarshal(line, &a); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		switch {
		case a.ID >= 10:
			if a.ID != 10+next || a.Result.StructuredContent.ID != next+1 {
				t.Fatalf("call %d was answered in place %d with memory %d", a.ID, next, a.Result.StructuredContent.ID)
			}
			next++
		case a.ID == 9 && !strings.Contains(a.Result.StructuredContent.Result, fmt.Sprintf("Observations: %d", saves)):
			t.Errorf("statistics asked for after %d saves: %s", saves, line)
		}
	}
	if next != saves || len(lines) != saves+2 {
		t.Errorf("%d of %d saves answered, %d lines", next, saves, len(lines))
	}
}

// A subscription has no end of its own and must not keep the process.
func TestOpenSubscriptionDoesNotKeepTheProcess(t *testing.T) {
	t.Parallel()
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
	in, feed := io.Pipe()
	out, answers := io.Pipe()
	ended := make(chan error, 1)
	s := newServer(t)
	go func() { ended <- s.ServeStdio(t.Context(), in, answers) }()
	fmt.Fprintln(feed, `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+meta+`}}`)
	if got, err := bufio.NewReader(out).ReadString('\n'); !strings.Contains(got, "notifications/subscriptions/acknowledged") {
		t.Errorf("got %s, error %v, want an acknowledgement", got, err)
	}
	go func() { _, _ = io.Copy(io.Discard, out) }()
	feed.Close()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("got %v, want no error", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the process goes on after its input has ended")
	}
}

func TestServerStopsWhenAsked(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	ctx, cancel := context.WithCancel(t.Context())
	in, keepOpen := io.Pipe()
	defer keepOpen.Close()
	ended := make(chan error)
	go func() { ended <- s.ServeStdio(ctx, in, io.Discard) }()
	cancel()
	select {
	case err := <-ended:
		if err != nil {
			t.Errorf("got %v, want no error", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the server goes on")
	}
}

// A client that stops reading ends its own session, not the process.
func TestClosedOutputEndsTheSession(t *testing.T) {
	t.Parallel()
	s := newServer(t)
	in, feed := io.Pipe()
	gone, out := io.Pipe()
	gone.Close()
	ended := make(chan error, 1)
	go func() { ended <- s.ServeStdio(t.Context(), in, out) }()
	go func() { _, _ = io.WriteString(feed, "rubbish\n"+hello) }()
	select {
	case err := <-ended:
		if engram.CodeOf(err) != engram.CodeUnavailable || err.Error() == "" {
			t.Errorf("got %v, want an error of code unavailable that says what cannot be written", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("the server goes on")
	}
	feed.Close()
}
