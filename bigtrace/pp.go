package main

// Pairs that play at once: more than a small machine has processors, so that there is always somebody to run.
const pairs = 4

// pingPong is the densest load: pairs of goroutines that hand a number to and fro, and do nothing else.
func pingPong(isFull func() bool) {
	var players []func()
	for pair := 0; pair < pairs; pair++ {
		ping, pong := make(chan int), make(chan int)
		serve := func() {
			defer close(ping)
			for ball := 0; !isFull(); {
				ping <- ball
				ball = <-pong
			}
		}
		answer := func() {
			for ball := range ping {
				pong <- ball + 1
			}
		}
		players = append(players, serve, answer)
	}
	together(players...)
}
