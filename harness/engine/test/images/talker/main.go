// Command talker is a container for tests: it says what its arguments ask for.
package main

import (
	"bufio"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func number(text string) int {
	value, err := strconv.Atoi(text)
	if err != nil {
		fmt.Fprintln(os.Stderr, "talker:", err)
		os.Exit(2)
	}
	return value
}

// echo answers every line of the input, and says when the input has ended.
func echo() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 1<<20), 1<<24)
	for lines.Scan() {
		fmt.Println("echo " + lines.Text())
	}
	fmt.Fprintln(os.Stderr, "end of input")
	fmt.Println("goodbye")
	os.Exit(7)
}

// paced prints numbered lines at a rate, in bursts of a hundredth of a second.
func paced(total, perSecond int) {
	out := bufio.NewWriterSize(os.Stdout, 1<<16)
	burst := max(1, perSecond/100)
	next := time.Now()
	for i := 0; i < total; {
		for j := 0; j < burst && i < total; j++ {
			fmt.Fprintf(out, "line %d %s\n", i, strings.Repeat("x", 80))
			i++
		}
		out.Flush()
		next = next.Add(10 * time.Millisecond)
		time.Sleep(time.Until(next))
	}
}

func main() {
	words := os.Args[1:]
	if len(words) == 0 {
		words = []string{"wait"}
	}
	switch words[0] {
	case "say": // say TEXT…: each on stdout, or on stderr after "err:"
		for _, text := range words[1:] {
			if rest, isError := strings.CutPrefix(text, "err:"); isError {
				fmt.Fprintln(os.Stderr, rest)
			} else {
				fmt.Println(text)
			}
		}
	case "long": // long COUNT: one line of COUNT euro signs (3 bytes each) after one byte, so that 16 KiB splits one
		fmt.Println("a" + strings.Repeat("€", number(words[1])))
	case "unfinished":
		fmt.Print("no newline at the end")
	case "paced": // paced TOTAL PER_SECOND
		paced(number(words[1]), number(words[2]))
	case "echo":
		echo()
	case "exit": // exit CODE
		os.Exit(number(words[1]))
	case "stubborn": // ignores SIGTERM
		signal.Ignore(syscall.SIGTERM)
		time.Sleep(time.Hour)
	case "wait":
		stop := make(chan os.Signal, 1)
		signal.Notify(stop, syscall.SIGTERM)
		fmt.Println("waiting")
		<-stop
	default:
		fmt.Fprintln(os.Stderr, "talker: unknown word", words[0])
		os.Exit(2)
	}
}
