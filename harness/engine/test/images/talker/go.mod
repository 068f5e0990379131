module squall/talker

go 1.21
