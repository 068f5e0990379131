module squall/log-flood

go 1.26
