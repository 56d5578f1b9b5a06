// Command hello is what a process of Go takes at least.
package main

import "fmt"

func main() { fmt.Println("hello") }
