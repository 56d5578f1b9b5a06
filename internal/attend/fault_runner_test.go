package attend_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/attend"
)

// What runners, compilers and linters print, shortened: noise before and after, and in it
// the lines that say what failed.
func TestWhatFailedIsFoundInWhatIsPrinted(t *testing.T) {
	passed := strings.Repeat("ok  \tshop/internal/part\t0.021s\n", 400)
	for _, tt := range []struct {
		name, printed, fault string
		told                 []string // lines of the outcome
		left                 []string // that are not in it
	}{
		{"go test over many packages", "Exit code 1\n" + passed + "?   \tshop/cmd\t[no test files]\n--- FAIL: TestPrice (0.00s)\n    --- FAIL: TestPrice/halves_go_up (0.00s)\n        price_test.go:41: Round(0.5) = 0; want 1\nFAIL\nFAIL\tshop/price\t0.004s\n" + passed + "FAIL",
			"TestPrice/halves_go_up: price_test.go:41: Round(0.5) = 0; want 1",
			[]string{"--- FAIL: TestPrice (0.00s)", "price_test.go:41: Round(0.5) = 0; want 1"}, []string{"ok shop", "no test files", "FAIL shop/price"}},
		{"go test -v", "=== RUN   TestStock\n    stock_test.go:9: left 3, want 2\n--- FAIL: TestStock (0.00s)\n=== RUN   TestOther\n--- PASS: TestOther (0.00s)\nFAIL\nexit status 1",
			"TestStock: stock_test.go:9: left 3, want 2", []string{"--- FAIL: TestStock (0.00s)", "stock_test.go:9: left 3, want 2"}, []string{"TestOther", "=== RUN"}},
		{"a panic of Go", "ok  \tshop/a\t0.1s\n--- FAIL: TestSplit (0.00s)\npanic: runtime error: index out of range [3] with length 3 [recovered]\n\ngoroutine 8 [running]:\nshop/split.Halves(...)\n\t/src/shop/split.go:18 +0x1d\nFAIL\tshop/split\t0.01s",
			"TestSplit: panic: runtime error: index out of range [3] with length 3 [recovered]", []string{"panic: runtime error: index out of range [3]"}, []string{"goroutine", "ok shop"}},
		{"go build", "# shop/pool\npool/conn.go:12:9: undefined: releaseAll\npool/conn.go:30:2: missing return",
			"pool/conn.go:12:9: undefined: releaseAll", []string{"pool/conn.go:12:9: undefined: releaseAll", "pool/conn.go:30:2: missing return"}, nil},
		{"jest", "PASS src/date.test.js\nFAIL src/cart.test.js\n  ✓ is empty (2 ms)\n  ✕ adds totals (5 ms)\n\n  ● cart › adds totals\n\n    expect(received).toBe(expected) // Object.is equality\n\n    Expected: 7\n    Received: 8\n\n      at Object.toBe (src/cart.test.js:12:21)\n\nTest Suites: 1 failed, 1 passed, 2 total\nTests:       1 failed, 4 passed, 5 total\nTime: 1.2 s",
			"cart › adds totals: expect(received).toBe(expected) // Object.is equality", []string{"● cart › adds totals", "Expected: 7", "Received: 8"}, []string{"date.test", "is empty", "Test Suites", "Time:"}},
		{"vitest", " ✓ src/date.test.ts (3 tests) 4ms\n\n⎯⎯⎯⎯ Failed Tests 1 ⎯⎯⎯⎯\n\n FAIL  src/cart.test.ts > cart > adds totals\nAssertionError: expected 8 to be 7 // Object.is equality\n ❯ src/cart.test.ts:9:23\n\n Test Files  1 failed | 1 passed (2)\n",
			"src/cart.test.ts > cart > adds totals: AssertionError: expected 8 to be 7 // Object.is equality", []string{"FAIL src/cart.test.ts > cart > adds totals", "AssertionError: expected 8 to be 7"}, []string{"date.test"}},
		{"pytest", "....F....                        [100%]\n=========== FAILURES ===========\n__________ test_vat __________\n\n    def test_vat():\n>       assert vat(10) == 2\nE       assert 1 == 2\nE        +  where 1 = vat(10)\n\ntests/test_tax.py:14: AssertionError\n=========== short test summary info ===========\nFAILED tests/test_tax.py::test_vat - assert 1 == 2\n1 failed, 8 passed in 0.11s",
			"tests/test_tax.py::test_vat: assert 1 == 2", []string{"E assert 1 == 2", "FAILED tests/test_tax.py::test_vat - assert 1 == 2", "tests/test_tax.py:14: AssertionError"}, []string{"8 passed", "short test summary"}},
		{"pytest that only sums up", "FAILED tests/test_user.py::test_login - KeyError: 'id'\n1 failed in 0.1s", "tests/test_user.py::test_login: KeyError: 'id'", []string{"FAILED tests/test_user.py::test_login"}, []string{"1 failed"}},
		{"pytest's exception", "E   ValueError: bad cart\n\ncart.py:3: ValueError\n1 failed, 2 passed in 0.02s", "ValueError: bad cart", []string{"E ValueError: bad cart"}, []string{"1 failed"}},
		{"unittest", "..F.\n======================================================================\nFAIL: test_sum (tests.test_sum.SumTest)\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File \"/src/shop/tests/test_sum.py\", line 8, in test_sum\n    self.assertEqual(4, 5)\nAssertionError: 4 != 5\n\nRan 4 tests in 0.001s\n\nFAILED (failures=1)",
			"test_sum (tests.test_sum.SumTest): AssertionError: 4 != 5", []string{"FAIL: test_sum (tests.test_sum.SumTest)", "AssertionError: 4 != 5", "line 8, in test_sum"}, []string{"Ran 4", "failures=1"}},
		{"a traceback of Python", "loading settings\nTraceback (most recent call last):\n  File \"/src/shop/run.py\", line 3, in <module>\n    import mailer\n  File \"/src/shop/mailer.py\", line 1, in <module>\n    import jinja2\nModuleNotFoundError: No module named 'jinja2'",
			"ModuleNotFoundError: No module named 'jinja2'", []string{"File \"/src/shop/mailer.py\", line 1", "ModuleNotFoundError: No module named 'jinja2'"}, []string{"loading settings"}},
		{"ruff", "app.py:1:8: F401 [*] `os` imported but unused\napp.py:9:1: E302 expected 2 blank lines\nFound 2 errors.\n[*] 1 fixable with the `--fix` option.", "app.py:1:8: F401 [*] `os` imported but unused", []string{"app.py:1:8: F401", "app.py:9:1: E302"}, []string{"Found 2"}},
		{"ruff of late", "F401 [*] `os` imported but unused\n --> app.py:1:8\n  |\n1 | import os\n\nFound 1 error.", "F401 [*] `os` imported but unused", []string{"F401 [*] `os` imported but unused", "--> app.py:1:8"}, []string{"Found 1"}},
		{"eslint", "> shop@2.1.0 lint\n> eslint src\n\n/src/shop/src/menu.ts\n  3:1  warning  Unexpected console statement  no-console\n  7:15  error  'total' is never reassigned. Use 'const' instead  prefer-const\n\n✖ 2 problems (1 error, 1 warning)\n",
			"7:15 error 'total' is never reassigned. Use 'const' instead prefer-const", []string{"/src/shop/src/menu.ts", "7:15 error 'total' is never reassigned"}, []string{"2 problems", "shop@2.1.0"}},
		{"tsc under npm", "\n> shop@2.1.0 build\n> tsc -p .\n\nsrc/app.ts(12,5): error TS2322: Type 'string' is not assignable to type 'number'.\nnpm ERR! code ELIFECYCLE\nnpm ERR! errno 2\nnpm ERR! A complete log of this run can be found in: /root/x.log",
			"src/app.ts(12,5): error TS2322: Type 'string' is not assignable to type 'number'.", []string{"error TS2322"}, []string{"ELIFECYCLE", "complete log", "errno"}},
		{"cargo build", "   Compiling serde v1.0.1\n   Compiling shop v0.1.0 (/src/shop)\nwarning: unused variable: `n`\nerror[E0382]: borrow of moved value: `items`\n  --> src/cart.rs:14:10\n   |\n14 |     print(items);\n\nFor more information about this error, try `rustc --explain E0382`.\nerror: could not compile `shop` due to 1 previous error",
			"error[E0382]: borrow of moved value: `items`", []string{"error[E0382]: borrow of moved value: `items`", "--> src/cart.rs:14:10"}, []string{"Compiling", "could not compile", "For more"}},
		{"cargo test", "running 3 tests\ntest cart::tests::empty ... ok\ntest cart::tests::adds ... FAILED\n\nfailures:\n\n---- cart::tests::adds stdout ----\nthread 'cart::tests::adds' panicked at src/cart.rs:31:9:\nassertion `left == right` failed\n  left: 7\n right: 8\nnote: run with `RUST_BACKTRACE=1`\n\ntest result: FAILED. 2 passed; 1 failed",
			"cart::tests::adds: thread 'cart::tests::adds' panicked at src/cart.rs:31:9:", []string{"test cart::tests::adds ... FAILED", "assertion `left == right` failed"}, []string{"cart::tests::empty", "test result"}},
		{"make", "gcc -Wall -c main.c -o main.o\nmain.c: In function 'main':\nmain.c:5:3: error: implicit declaration of function 'prnt'\nmake: *** [Makefile:4: main.o] Error 1", "main.c:5:3: error: implicit declaration of function 'prnt'", []string{"main.c:5:3: error: implicit declaration"}, []string{"make: ***"}},
		{"make without a rule", "make: *** No rule to make target 'docs'.  Stop.", "make: *** No rule to make target 'docs'. Stop.", []string{"No rule to make target 'docs'"}, nil},
		{"npm without a script", "npm ERR! Missing script: \"biuld\"\nnpm ERR! \nnpm ERR! To see a list of scripts, run:\nnpm ERR! A complete log of this run can be found in: /x", "Missing script: \"biuld\"", []string{"Missing script: \"biuld\""}, []string{"complete log"}},
		{"npm's resolver", "npm warn old lockfile\nnpm error code ERESOLVE\nnpm error ERESOLVE unable to resolve dependency tree\nnpm error Found: react@19.0.0", "ERESOLVE unable to resolve dependency tree", []string{"ERESOLVE unable to resolve"}, []string{"old lockfile", "code ERESOLVE"}},
		{"node", "node:internal/modules/cjs/loader:1228\n  throw err;\n  ^\n\nError: Cannot find module 'left-pad'\nRequire stack:\n- /src/shop/menu.js\n    at node:internal/modules/cjs/loader:1225:15\n  code: 'MODULE_NOT_FOUND'\n", "Error: Cannot find module 'left-pad'", []string{"Error: Cannot find module 'left-pad'"}, []string{"node:internal"}},
		{"docker", "#1 [internal] load build definition\n#5 [2/3] RUN apt-get install -y libfoo\n#5 0.812 Reading package lists...\n#5 1.201 E: Unable to locate package libfoo\n#5 ERROR: process \"/bin/sh -c apt-get install -y libfoo\" did not complete successfully: exit code: 100\n------\nERROR: failed to solve: process \"/bin/sh -c apt-get install -y libfoo\" did not complete successfully: exit code: 100",
			"E: Unable to locate package libfoo", []string{"E: Unable to locate package libfoo"}, []string{"internal] load"}},
		{"terraform", "Initializing...\n╷\n│ Error: Unsupported argument\n│ \n│   on main.tf line 12, in resource \"aws_s3_bucket\" \"logs\":\n│   12:   acls = \"private\"\n╵", "Error: Unsupported argument", []string{"Error: Unsupported argument", "on main.tf line 12"}, []string{"│"}},
		{"kubectl", "Error from server (NotFound): deployments.apps \"shop\" not found", "Error from server (NotFound): deployments.apps \"shop\" not found", []string{"deployments.apps"}, nil},
		{"git merge", "Auto-merging price.go\nCONFLICT (content): Merge conflict in price.go\nAutomatic merge failed; fix conflicts and then commit the result.", "CONFLICT (content): Merge conflict in price.go", []string{"CONFLICT (content)"}, []string{"Automatic merge"}},
		{"git push", "To example.org:shop.git\n ! [rejected]        main -> main (fetch first)\nerror: failed to push some refs to 'example.org:shop.git'\nhint: Updates were rejected because the remote has work", "error: failed to push some refs to 'example.org:shop.git'", []string{"error: failed to push some refs"}, []string{"hint:"}},
		{"rspec", "..F\n\nFailures:\n\n  1) Cart total adds\n     Failure/Error: expect(cart.total).to eq(7)\n\n       expected: 7\n            got: 8\n\n3 examples, 1 failure\n\nFailed examples:\n\nrspec ./spec/cart_spec.rb:4 # Cart total adds", "Cart total adds: Failure/Error: expect(cart.total).to eq(7)", []string{"1) Cart total adds", "expected: 7"}, []string{"3 examples"}},
		{"maven", "[INFO] Building shop\n[ERROR] /src/shop/Cart.java:[14,9] cannot find symbol\n[INFO] BUILD FAILURE\n[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin\n[ERROR] -> [Help 1]", "/src/shop/Cart.java:[14,9] cannot find symbol", []string{"Cart.java:[14,9] cannot find symbol"}, []string{"Building", "Failed to execute"}},
		{"psql", "psql: error: connection to server at \"localhost\", port 5432 failed: Connection refused", "psql: error: connection to server at \"localhost\", port 5432 failed: Connection refused", []string{"Connection refused"}, nil},
		{"an agent's account of a command", "Command: node cart.js\nDirectory: (root)\nOutput: /src/shop/cart.js:10\n  items.forEach(add)\nTypeError: Cannot read properties of undefined (reading 'forEach')\n    at total (/src/shop/cart.js:10:9)\nError: (none)\nExit Code: 1\nSignal: 0\nBackground PIDs: (none)\nProcess Group PGID: 4711", "TypeError: Cannot read properties of undefined (reading 'forEach')",
			[]string{"TypeError: Cannot read properties", "at total (/src/shop/cart.js:10:9)"}, []string{"(none)", "PGID", "Exit Code", "Directory:"}},
		{"an agent's shorter account", "Output: src/pay.js:4 ReferenceError: stripe is not defined\nExit Code: 1\nProcess Group PGID: 99", "src/pay.js:4 ReferenceError: stripe is not defined", []string{"ReferenceError: stripe"}, []string{"PGID", "Output:"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := attend.Fault(tt.printed); got != tt.fault {
				t.Errorf("Fault of\n%s\n got %q\nwant %q", tt.printed, got, tt.fault)
			}
			if got := attend.Fault(attend.ErrorLines(tt.printed)); got != tt.fault {
				t.Errorf("Fault of what is kept\n%s\n got %q\nwant %q", attend.ErrorLines(tt.printed), got, tt.fault)
			}
			o := attend.Outcomes([]attend.Note{failed("make check", tt.printed), edited("a.go"), ran("make check")})[0]
			if n := utf8.RuneCountInString(o.Title); n > 100 || !strings.Contains(o.Title, string([]rune(tt.fault)[:min(18, len([]rune(tt.fault)))])) {
				t.Errorf("title %q of %d characters, want the beginning of %q in 100", o.Title, n, tt.fault)
			}
			for _, want := range tt.told {
				if !strings.Contains(o.Content, want) {
					t.Errorf("the outcome of\n%s\nis\n%s\nwant %q in it", tt.printed, o.Content, want)
				}
			}
			for _, no := range tt.left {
				if strings.Contains(o.Content, no) {
					t.Errorf("the outcome is\n%s\nwant %q not in it", o.Content, no)
				}
			}
		})
	}
}
